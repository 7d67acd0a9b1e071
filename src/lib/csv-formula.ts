/**
 * Writes CSV cells that no spreadsheet runs as a formula, whatever it splits at. Half of Europe splits at `;`, where the
 * quotes of RFC 4180 do not hold a cell together: `a,"z;=1+1"` has a cell `=1+1"`. So an apostrophe is put before a
 * formula at the start of a cell, and after anything that could start one: a separator, a quote, the end of a line.
 *
 * Apostrophes that are already there get one more, so that reading removes exactly what writing has added.
 */
// Blanks and invisible characters may precede a formula: each program trims different ones.
const blank = '[\\p{Zs}\\p{Cf}\\0-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]*'
const beforeFormula = `(?<=^|[,;|"\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029])(${blank})`
// Also in full width, which spreadsheets treat alike.
const formula = '(?=[=+\\-@\\t\\r＝＋－＠﹦﹢﹣﹫])'

const unprotected = new RegExp(`${beforeFormula}('*)${formula}`, 'gu')
const protectedOnes = new RegExp(`${beforeFormula}'('*)${formula}`, 'gu')

export function protectCell(text: string): string {
  return text.replace(unprotected, "$1'$2")
}

/** Undoes `protectCell`. */
export function unprotectCell(text: string): string {
  return text.replace(protectedOnes, '$1$2')
}

/** Returns a record in the form of RFC 4180, without its line end; also with another separator. */
export function csvLine(cells: readonly string[], separator = ','): string {
  // An empty line would not count as a record.
  if (cells.length === 1 && cells[0] === '') return '""'
  const needsQuotes = (cell: string) =>
    cell.includes(separator) || cell.includes('"') || cell.includes('\n') || cell.includes('\r')
  return cells.map((cell) => (needsQuotes(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(separator)
}

/** Returns a record of a file for download, without its line end. */
export function downloadLine(cells: readonly string[], separator = ','): string {
  return csvLine(cells.map(protectCell), separator)
}
