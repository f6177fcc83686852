"""Mutation of arrays, views, and extents that are known, bounded or decided by data."""

import numpy as np

from pyxla import f64, i64


def an_item_is_written(x: f64[5]):
    y = x.copy()
    y[2] = 1.0
    #: %at = constant 2 : int
    #: %y = dynamic_update_slice %x, %one, %at : f64[5]
    return y
    #: return %y


def arguments_that_are_written_are_results(x: f64[5]):
    #: func arguments_that_are_written_are_results(%x: f64[5]) -> f64[5]
    x[2] = 1.0
    #: %new = dynamic_update_slice %x, %one, %at : f64[5]
    #: return %new


def a_view_writes_its_base(x: f64[4, 3]):
    y = x * 2
    #: %y = multiply %x, ... : f64[4,3]
    row = y[1]
    row[0] = 7.0
    #: %i = constant 1 : int
    #: %j = constant 0 : int
    #: %new = dynamic_update_slice %y, %seven, %i, %j : f64[4,3]
    return y
    #: return %new


def views_of_views_are_one_read(x: f64[4, 3]):
    return x.T[2, 1]
    #! transpose
    #: %item = slice %x start_indices=(1, 2) limit_indices=(2, 3) ... : f64[1,1]


def a_copy_is_another_array(x: f64[4]):
    y = x + 0
    #: %y = add %x, %zeros : f64[4]
    z = y.copy()
    z[0] = 1.0
    return y
    #: return %y


def two_names_of_one_array(x: f64[4]):
    y = x + 1
    #: %y = add %x, %ones : f64[4]
    z = y
    z += 2
    #: %z = add %y, %twos : f64[4]
    return y
    #: return %z


def windows_of_constant_width(x: f64[9]):
    s = np.zeros(3)
    for i in range(6):
        #: %i = phi [bb0: ..., bb_body: ...] : int
        s = s + x[i : i + 3]
        #! select
        #: %window = dynamic_slice ..., %i slice_sizes=(3,) : f64[3]
        #: %more = add %s, %window : f64[3]
    return s


def an_index_in_range_is_taken_as_it_is(x: f64[9]):
    s = np.zeros(())
    for i in range(8):
        #: %i = phi [bb0: %start, bb_body: %next] : int
        s = s + x[i + 1]
        #: %at = add %i, %one : int
        #! select
        #: %item = dynamic_slice ..., %at slice_sizes=(1,) : f64[1]
    return s


def an_index_may_be_negative(x: f64[9], i: int):
    return x[i]
    #: %negative = compare %i, %zero direction=LT : bool
    #: %behind = add %i, %nine : int
    #: %at = select %negative, %behind, %i : int
    #: %item = dynamic_slice %x, %at slice_sizes=(1,) : f64[1]


def a_mask_selects(x: f64[6]):
    y = x * 1
    #: %y = multiply %x, ... : f64[6]
    y[y < 0] = 0.0
    #: %mask = compare %y, ... direction=LT : bool_[6]
    #: %new = select %m, %zeros, %y : f64[6]
    #! scatter
    return y
    #: return %new


def an_array_of_indices_gathers(x: f64[6], at: i64[4]):
    return x[at]
    #: %items = gather %x, %at_ ... : f64[4]
    #: return %items


def where_is_select(x: f64[6]):
    return np.where(x > 0, x, 0.0)
    #: %mask = compare %x, ... direction=GT : bool_[6]
    #: %r = select %mask, %x, %zeros : f64[6]


def a_growing_slice_has_a_bound(a: f64[8]):
    """All that is behind the end counts as zero."""
    s = np.zeros(())
    for j in range(8):
        s = s + a[:j].sum()
        #: %part = slice ... start_indices=(0,) limit_indices=(7,) ... : f64[7]
        #: %inside = compare ... direction=LT : bool_[7]
        #: %masked = select %inside, %part, %zeros : f64[7]
        #: %sum = reduce %masked, ... computation=add : f64[]
    return s


def shapes_are_known(x: f64[3, 4]):
    n, m = x.shape
    return np.zeros((m, n + 1))
    #: %r = broadcast_in_dim %zero shape=(4, 4) : f64[4,4]
    #: return %r


def a_reshape_is_a_view(x: f64[2, 3]):
    y = x * 1
    #: %y = multiply %x, ... : f64[2,3]
    y.reshape(6)[4] = 0.0
    #: %flat = reshape %y shape=(6,) : f64[6]
    #: %new = dynamic_update_slice %flat, ... : f64[6]
    #: %back = reshape %new shape=(2, 3) : f64[2,3]
    return y
    #: return %back


def buffers_change_names_without_copies(u: f64[16], v: f64[16], n: int):
    for _ in range(n):
        #: %a = phi [bb0: %u, bb_body: %new] : f64[16]
        #: %b = phi [bb0: %v, bb_body: %a] : f64[16]
        v[1:] = u[:-1] * 0.5
        #: %part = slice %a start_indices=(0,) limit_indices=(15,) ... : f64[15]
        #: %new = dynamic_update_slice %b, %half, %one : f64[16]
        u, v = v, u
        #! ... : f64[16]
        #: jump ...
    return u.sum()


def a_product_of_matrices(a: f64[3, 4], b: f64[4, 2]):
    return a @ b
    #: %r = dot_general %a, %b ... : f64[3,2]


def broadcasting(a: f64[3, 1], b: f64[4]):
    return a + b
    #: %x = broadcast_in_dim %a shape=(3, 4) broadcast_dimensions=(0, 1) : f64[3,4]
    #: %y = broadcast_in_dim %b shape=(3, 4) broadcast_dimensions=(1,) : f64[3,4]
    #: %r = add %x, %y : f64[3,4]


def a_reduction_of_an_axis(a: f64[3, 4]):
    return a.sum(axis=0)
    #: %r = reduce %a, %zero dimensions=(0,) computation=add : f64[4]


def selected_elements_have_a_bound(x: f64[6]):
    """As many as there may be, and how many there are."""
    #: func selected_elements_have_a_bound(%x: f64[6]) -> (f64[6], int)
    return x[x > 0]
    #: return %items, %count
