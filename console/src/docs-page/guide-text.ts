/** Turns a page of docs/ into HTML for the docs page, which has its guides but not all of docs/. */
import { micromark } from 'micromark'
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table'

export type Guide = { name: string; title: string; html: string }

type Options = { api: string; names: readonly string[]; pictures: Readonly<Record<string, string>> }

/** Micromark escapes all HTML of the text. */
export function guideOf(name: string, markdown: string, { api, names, pictures }: Options): Guide {
  const [, title = name, text = ''] = /^# (.*)\n([\s\S]*)$/.exec(markdown) ?? []
  // The marks around generated parts. Other HTML is escaped.
  const html = micromark(text.replaceAll(/<!--.*?-->\n\n/gs, ''), {
    extensions: [gfmTable()],
    htmlExtensions: [gfmTableHtml()],
  })
    .replaceAll(/<h2>(.*?)<\/h2>/g, (_, words: string) => `<h4 id="${idOf(name, anchorOf(words))}">${words}</h4>`)
    .replaceAll(/ src="([^"]*)"/g, (_, source: string) => ` src="${pictures[source] ?? ''}"`)
    .replaceAll(/<a href="([^"]*)">(.*?)<\/a>/gs, (_, href: string, words: string) => link(href, words))
    .replaceAll(/<th[^>]*><\/th>/g, '<td></td>')
    // Content that scrolls sideways must be reachable with the keyboard.
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')

  function link(href: string, words: string): string {
    if (/^https:/.test(href)) return `<a href="${href}" rel="noreferrer">${words}</a>`
    const [path = '', anchor] = href.split('#')
    const page = path === '' ? name : path.replace(/\.md$/, '')
    if (names.includes(page)) return `<a href="#${idOf(page, anchor)}">${words}</a>`
    if (page === 'problems')
      return `<a href="${api}/docs/problems${anchor === undefined ? '' : `#${anchor}`}">${words}</a>`
    return `${words} (<code>docs/${path}</code>)`
  }

  return { name, title, html }
}

export function idOf(name: string, anchor?: string): string {
  return `guide-${name}${anchor === undefined ? '' : `-${anchor}`}`
}

/** Returns a heading's anchor: lower case, without punctuation, with hyphens for spaces. */
function anchorOf(heading: string): string {
  return heading
    .replaceAll(/<[^>]*>/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}
