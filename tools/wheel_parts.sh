# Makes the libraries that go into the wheel of the Python package; ./dev sources this file.

# cut_icu_data FOLDER: writes to FOLDER the data of this machine's ICU, less what Benzer never asks for: 3.5
# of 31 MB. nfkc_cf folds case, and the rest divides texts into words by dictionaries, for which ICU also
# reads nfkc and ja. Prints the name of the file.
cut_icu_data() {
  local folder=$1 version whole
  version=$(pkg-config --modversion icu-uc)
  version=${version%%.*}
  whole=$folder/whole/icudt${version}l.dat
  mkdir -p "$folder/whole" "$folder/items"
  objcopy -O binary -j .rodata "$(pkg-config --variable=libdir icu-uc)/libicudata.so.$version" "$whole"
  /usr/sbin/icupkg -l "$whole" |
    grep -xE 'nfkc(_cf)?\.nrm|brkitr/((root|ja)\.res|[a-z_]+\.brk|[a-z]+\.dict)' > "$folder/items.txt"
  /usr/sbin/icupkg -x "$folder/items.txt" -d "$folder/items" "$whole"
  # The file must have the name of the data, which is in the name of each item.
  /usr/sbin/icupkg -s "$folder/items" -a "$folder/items.txt" new "$folder/icudt${version}l.dat"
  rm -r "$folder/whole" "$folder/items"
  echo "$folder/icudt${version}l.dat"
}

# write_icu_data FILE OUT: writes the source of an object file that has the data of ICU.
write_icu_data() {
  local version=${1##*/icudt}
  local symbol=icudt${version%l.dat}_dat
  printf '%s\n' '.section .rodata' '.balign 16' ".globl $symbol" ".type $symbol, %object" "$symbol: .incbin \"$1\"" \
    ".size $symbol, . - $symbol" '.section .note.GNU-stack, "", %progbits' > "$2"
}
