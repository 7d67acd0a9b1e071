/** What is wrong with a logo. The detail is a sentence for the person who chose the file. */
export class LogoFault extends Error {
  readonly code: 'logo_type' | 'logo_too_large' | 'logo_malformed' | 'logo_forbidden' | 'logo_too_costly' | 'logo_empty'

  constructor(code: LogoFault['code'], detail: string) {
    super(detail)
    this.name = 'LogoFault'
    this.code = code
  }
}

export const malformed = (detail: string) => new LogoFault('logo_malformed', detail)

/** A logo has about the form of a line of text, or of a square. */
const longestRatio = 20

export function refuseStrip({ width, height }: { width: number; height: number }): void {
  if (Math.max(width / height, height / width) <= longestRatio) return
  throw new LogoFault('logo_forbidden', `One side of the logo is more than ${longestRatio} times as long as the other.`)
}
