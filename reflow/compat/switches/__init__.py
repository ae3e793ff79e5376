"""What a program switches between version 1 and version 2: comparisons of tensors, sizes in shapes."""
