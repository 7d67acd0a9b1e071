/** HTML that is safe to send. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | undefined

/** A template that escapes every value, except those made by `html` itself. */
export function html(template: readonly string[], ...parts: Part[]): Html {
  return new Html(template.map((text, i) => text + written(parts[i])).join(''))
}

function written(part: Part): string {
  return part instanceof Html ? part.text : escaped(part ?? '')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** For text between tags, and for quoted attributes. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] as string)
}
