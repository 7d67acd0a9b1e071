/** HTML that is safe to send. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A text between tags, or part of one. */
export type Text = Html | string

type Part = Text | undefined

/** A template that escapes every value, except those made by `html` itself. */
export function html(template: readonly string[], ...parts: Part[]): Html {
  return new Html(template.map((text, i) => text + written(parts[i])).join(''))
}

// Letters that are written from right to left, and characters that reorder others.
const reordering =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Sentences with values, for texts of one direction. A value in the other direction is isolated, so that it does not reorder
 * the sentence.
 */
export function writingIn(direction: 'ltr' | 'rtl') {
  const isolated = (value: Text): Html => {
    if (value instanceof Html) return value
    return direction === 'rtl' || reordering.test(value) ? html`<bdi>${value}</bdi>` : html`${value}`
  }
  return {
    isolated,
    line: (template: readonly string[], ...values: Text[]): Html => html(template, ...values.map(isolated)),
    /** A value that stands out. */
    strong: (value: string): Html => html`<strong>${isolated(value)}</strong>`,
  }
}

/** The same text where no tags are allowed, such as in a title: isolated by characters (Unicode TR 9 §2.4). */
export function withoutTags(text: Text): Html {
  const escapedText = html`${text}`.text
  return new Html(
    escapedText
      .replaceAll('<bdi>', '\u2068')
      .replaceAll('</bdi>', '\u2069')
      .replaceAll(/<[^>]*>/g, ''),
  )
}

function written(part: Part): string {
  return part instanceof Html ? part.text : escaped(part ?? '')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** For text between tags, and for quoted attributes. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] as string)
}
