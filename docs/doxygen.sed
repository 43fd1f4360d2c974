# Makes comments of Doxygen out of those of a header, which are plain // lines.

# A sign inside of a word is no command of Doxygen.
\|//|s|([a-z])@([A-Z])|\1\\@\2|g

# The first lines are about the file.
1 {
  s|^// |/// \\file\n/// |
  b
}
# In front of what they are about, ...
s|^( {0,8})// ?|\1/// |
# ... or after it, with lines that go on far to the right.
s|([;,]) +// ?|\1  ///< |
s|^( {9,})// ?|\1///< |
