/**
 * The form in which texts are searched: equal for texts that differ only in case, accents, width or invisible
 * characters. What folds to nothing (a lone accent) gives ''.
 */
export function fold(text: string): string {
  if (/^[ -~]*$/.test(text)) return text.toLowerCase()
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()
    .replace(/[^ -~]/g, (letter) => plainLetters[letter] ?? letter)
    .normalize('NFKC')
}

// Letters that people type as others, and that Unicode does not decompose. The final sigma stands for case: the word in
// capitals, cut short by the search, ends on another sigma.
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ς: 'σ',
}
