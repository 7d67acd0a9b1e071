/** Reads a boolean in a file that other programs write or saved again, such as Excel's `TRUE`. Undefined for any other text. */
export function booleanIn(text: string): boolean | undefined {
  const word = text.trim().toLowerCase()
  return word === 'true' ? true : word === 'false' ? false : undefined
}
