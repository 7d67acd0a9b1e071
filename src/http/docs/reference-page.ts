/** Pages of named entries that links lead to, such as problems and alerts. They have no script and load nothing. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { home } from '../../lib/home.ts'
import { wholeDocument } from '../response/whole-document.ts'

/** Texts are plain; backticks mark code. */
export type Reference = {
  title: string
  introduction: readonly string[]
  /** The label of the list of names, for screen readers. */
  namesOf: string
  entries: readonly { name: string; kind: string; title?: string; happened: string; doNext: string }[]
}

export function serveReference(app: FastifyInstance, path: string, reference: Reference): void {
  const send = wholeDocument('text/html; charset=utf-8', () => page(reference))
  app.get(path, { config: { access: 'public', scope: 'global' } }, (request, reply) => {
    reply.header('content-security-policy', contentSecurityPolicy).header('referrer-policy', 'no-referrer')
    return send(request, reply)
  })
}

/** The same as Markdown, for docs/. A heading that consists of the name has it as its anchor. */
export function referenceMarkdown({ title, introduction, entries }: Reference, source: string, path: string): string {
  const sections = entries.map(
    ({ name, kind, title, happened, doNext }) =>
      `## ${name}\n\n**${lead(kind, title)}** ${happened}\\\n_What to do:_ ${doNext}`,
  )
  return `<!-- Made from ${source} by \`npm run generate\`; change it there. -->

# ${title}

${introduction.join('\n\n')}

A running service shows this page at \`/auth${path}\`.

${sections.join('\n\n')}
`
}

function page({ title, introduction, namesOf, entries }: Reference): string {
  const sections = entries.map(
    ({ name, kind, title, happened, doNext }) => `<section id="${name}">
<h2><a href="#${name}">${name}</a></h2>
<p><strong>${html(lead(kind, title))}</strong> ${html(happened)}</p>
<p><em>What to do:</em> ${html(doNext)}</p>
</section>`,
  )
  const index = entries.map(({ name, kind }) => `<li>${kind} <a href="#${name}">${name}</a></li>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rollbook API: ${title.toLowerCase()}</title>
<link rel="icon" href="data:image/svg+xml;base64,${icon}">
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${introduction.map((paragraph) => `<p>${html(paragraph)}</p>`).join('\n')}
<p>The operations are on the <a href="../docs">docs page</a>.</p>
<nav aria-label="${namesOf}"><ul>
${index.join('\n')}
</ul></nav>
${sections.join('\n')}
</main>
</body>
</html>
`
}

function lead(kind: string, title: string | undefined): string {
  return title === undefined ? `${kind[0]?.toUpperCase()}${kind.slice(1)}.` : `${kind} ${title}.`
}

/** Escapes a text for HTML; backticks become code. */
function html(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replace(/`([^`]*)`/g, '<code>$1</code>')
}

const icon = readFileSync(join(home, 'src/http/docs/assets/favicon.svg')).toString('base64')

const style = `
:root { color-scheme: light dark; --accent: light-dark(#1f5fbf, #8ab4f8); --shade: light-dark(#f0f3f8, #26292f) }
html { background: Canvas; color: CanvasText }
body { margin: 0; font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 44rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }
a { color: var(--accent) }
code { font-family: ui-monospace, monospace; font-size: 0.9em; background: var(--shade); padding: 0 0.2em }
nav ul { list-style: none; padding: 0; columns: 16rem; font-variant-numeric: tabular-nums }
nav li { line-height: 1.9 }
section { padding: 0.1rem 0.8rem; margin: 0 -0.8rem; border-radius: 0.4rem; scroll-margin-top: 1rem }
section:target { background: var(--shade) }
section:target code { background: none }
h2 { font: 600 1.1rem/1.4 ui-monospace, monospace; margin: 1rem 0 0.4rem }
h2 a { text-decoration: none }
p { margin: 0.5rem 0 }
`

// `data:` is for the icon; without one, browsers request it from the product's host.
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
