"""What is proven of integers, and read off conditions and instructions."""
