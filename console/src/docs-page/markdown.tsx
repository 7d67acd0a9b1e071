import { micromark } from 'micromark'

/** CommonMark with headings one level below an operation's. HTML in the text is shown as text. */
export function Markdown({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  const html = micromark(text).replaceAll(/<(\/?)h\d>/g, '<$1h5>')
  // biome-ignore lint/security/noDangerouslySetInnerHtml: micromark escapes all HTML of the text.
  return <div className="renderedMarkdown" dangerouslySetInnerHTML={{ __html: html }} />
}
