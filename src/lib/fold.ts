import { plainMarks } from './typed-name.ts'

/**
 * Returns the form in which texts are searched: equal for texts that differ only in case, accents, width or invisible
 * characters, or in the kind of apostrophe and dash. A text of nothing else (a lone accent) folds to ''.
 */
export function fold(text: string): string {
  if (/^[ -_a-~]*$/.test(text)) return text.toLowerCase()
  // Once more where a letter such as ŉ has an apostrophe in it.
  const decomposed = plainMarks(text)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .normalize('NFKD')
  return plainMarks(decomposed)
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()
    .replace(/[^ -~]/g, (letter) => plainLetters[letter] ?? letter)
    .normalize('NFKC')
}

// Letters that people replace when they type, and that Unicode does not decompose. The final sigma is folded for case: a
// word in capitals, or cut short by the search, ends in the other sigma.
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
