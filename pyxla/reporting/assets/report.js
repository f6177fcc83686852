"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const first = (selector, root = document) => root.querySelector(selector);
  const state = { tab: "overview", at: "", step: 0 };
  const found = first(".found");

  function pane() { return first(`article[data-tab="${state.tab}"]`); }

  // Elements that belong to the line which is selected, in the pane that is shown.
  function matches() {
    return state.at ? all(`[data-at="${state.at}"]`, pane()) : [];
  }

  function remember() {
    try { history.replaceState(null, "", `#${state.tab}/${state.at}`); } catch { /* in a frame */ }
  }

  function show(tab) {
    if (!first(`article[data-tab="${tab}"]`)) return;
    state.tab = tab;
    for (const button of all("nav button")) button.classList.toggle("on", button.dataset.tab === tab);
    for (const article of all("article")) article.classList.toggle("on", article.dataset.tab === tab);
    if (tab === "flow") enlarge();
    say(true);
  }

  // A drawing that is wide begins where it can be read, at its top.
  let enlarged = false;
  function enlarge() {
    const svg = first("svg.flow"), box = svg.viewBox.baseVal;
    if (enlarged || !svg.clientWidth) return;
    enlarged = true;
    const width = svg.clientWidth * 1.7, height = svg.clientHeight * 1.7;
    if (box.width <= width && box.height <= height) return;
    const start = first(".node.end", svg)?.transform.baseVal[0].matrix;
    if (box.width > width) { box.x = Math.max(box.x, (start?.e ?? 0) - width / 2); box.width = width; }
    box.height = height;
  }

  function say(scroll) {
    const here = matches();
    const line = first(`.source [data-at="${state.at}"] .num`)?.textContent;
    const what = pane().dataset.about ? ` (${pane().dataset.about})` : "";
    first(".say").textContent = !state.at
      ? `click a line, on either side${what}`
      : `line ${line}: ${here.length} ${here.length === 1 ? "place" : "places"} here${what}`;
    found.classList.toggle("many", here.length > 1);
    state.step = 0;
    if (scroll && here.length) here[0].scrollIntoView({ block: "center", inline: "nearest" });
    remember();
  }

  function select(at, origin) {
    state.at = at === state.at && origin?.closest(".source") ? "" : at;
    for (const element of all(".on[data-at]")) element.classList.remove("on");
    if (state.at) for (const element of all(`[data-at="${state.at}"]`)) element.classList.add("on");
    const inside = origin?.closest("article");
    if (inside && state.at) first(`#line-${state.at}`)?.scrollIntoView({ block: "nearest" });
    say(!inside);
  }

  function step(by) {
    const here = matches();
    if (!here.length) return;
    state.step = (state.step + by + here.length) % here.length;
    here[state.step].scrollIntoView({ block: "center", inline: "nearest" });
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.tab) return show(button.dataset.tab);
    if (button?.dataset.step) return step(Number(button.dataset.step));
    if (button?.dataset.by) {
      document.body.className = `by-${button.dataset.by}`;
      return;
    }
    const line = event.target.closest("[data-at]");
    if (line?.dataset.at && !dragged) select(line.dataset.at, line);
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = all(".source .row.has");
    const now = rows.findIndex((row) => row.dataset.at === state.at);
    const move = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (move && rows.length) {
      const next = rows[Math.max(0, Math.min(rows.length - 1, now + move))];
      if (next.dataset.at !== state.at) select(next.dataset.at);
      next.scrollIntoView({ block: "nearest" });
      event.preventDefault();
    }
    if (event.key === "n") step(1);
    if (event.key === "p") step(-1);
    if (event.key === "Escape") { state.at = ""; select(""); }
  });

  // What stands under the mouse.
  const tip = first("#tip");
  document.addEventListener("mousemove", (event) => {
    const told = event.target.closest?.("[data-tip]");
    tip.hidden = !told;
    if (!told) return;
    tip.textContent = told.dataset.tip;
    const right = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 10);
    const below = event.clientY + 20 + tip.offsetHeight < innerHeight;
    tip.style.left = `${Math.max(8, right)}px`;
    tip.style.top = `${below ? event.clientY + 18 : event.clientY - tip.offsetHeight - 10}px`;
  });

  // The width of the two sides.
  const left = first(".left");
  first(".splitter").addEventListener("pointerdown", (event) => {
    event.target.setPointerCapture(event.pointerId);
    event.target.onpointermove = (move) => { left.style.width = `${move.clientX}px`; };
    event.target.onpointerup = () => { event.target.onpointermove = null; };
    event.preventDefault();
  });

  // Zooming and moving the drawing: its view box.
  let dragged = false;
  const svg = first("svg.flow");
  if (svg) {
    const box = svg.viewBox.baseVal;
    const scale = () => Math.max(box.width / svg.clientWidth, box.height / svg.clientHeight);
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const by = Math.exp(event.deltaY * 0.0012);
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      box.x = point.x + (box.x - point.x) * by;
      box.y = point.y + (box.y - point.y) * by;
      box.width *= by;
      box.height *= by;
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => {
      dragged = false;
      const start = { x: event.clientX, y: event.clientY, left: box.x, top: box.y };
      svg.onpointermove = (move) => {
        const dx = move.clientX - start.x, dy = move.clientY - start.y;
        if (Math.abs(dx) + Math.abs(dy) > 4) dragged = true;
        box.x = start.left - dx * scale();
        box.y = start.top - dy * scale();
      };
    });
    addEventListener("pointerup", () => { svg.onpointermove = null; setTimeout(() => { dragged = false; }, 0); });
  }

  const [tab, at] = location.hash.slice(1).split("/");
  show(first(`article[data-tab="${tab}"]`) ? tab : "overview");
  if (at) select(at);
})();
