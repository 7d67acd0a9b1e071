/** Distinguishes typed codes: app codes have digits only, recovery codes are longer. */
export function codeBody(typed: string): { code: string } | { recovery_code: string } {
  const digits = typed.replaceAll(/\s/g, '')
  return /^\d{6,8}$/.test(digits) ? { code: digits } : { recovery_code: typed.trim() }
}
