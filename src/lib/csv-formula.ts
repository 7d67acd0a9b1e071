/**
 * Cells of CSV that no spreadsheet runs as a formula, wherever it splits them. Half of Europe splits at `;`, where the
 * quotes of RFC 4180 do not hold a cell together: `a,"z;=1+1"` has a cell `=1+1"`. So an apostrophe goes before a formula
 * at the beginning of a cell, and also behind whatever could begin one: a separator, a quote, the end of a line.
 *
 * Apostrophes that stand there already become one more, so that reading takes away exactly what writing has put in.
 */
// Blanks and invisible characters may stand before a formula: programs trim them away, each program others.
const blank = '[\\p{Zs}\\p{Cf}\\0-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]*'
const begin = `(?<=^|[,;|"\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029])(${blank})`
// Also in full width, which spreadsheets take for the same.
const formula = '(?=[=+\\-@\\t\\r＝＋－＠﹦﹢﹣﹫])'

const unprotected = new RegExp(`${begin}('*)${formula}`, 'gu')
const protectedOnes = new RegExp(`${begin}'('*)${formula}`, 'gu')

export function protectCell(text: string): string {
  return text.replace(unprotected, "$1'$2")
}

/** What the text was before `protectCell`. */
export function unprotectCell(text: string): string {
  return text.replace(protectedOnes, '$1$2')
}

/** A record as RFC 4180 has it, without its end. */
export function csvLine(cells: readonly string[]): string {
  // A line with nothing in it would be no record.
  if (cells.length === 1 && cells[0] === '') return '""'
  return cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')
}
