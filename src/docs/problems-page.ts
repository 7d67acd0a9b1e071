import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type ProblemCode, problems } from '../errors.ts'
import { problemsPath } from '../http/problem.ts'
import { problemTexts } from './problem-texts.ts'

const codes = Object.keys(problems) as ProblemCode[]

const introduction = [
  'Every refusal is a problem document (RFC 9457, `application/problem+json`), and its `type` leads to the paragraph here. `code` is for programs: it is never renamed and never means something else. `detail` says what happened this time, and `instance` is the id of the request, which the log has too.',
  'Go by `status` and `code`, never by the words of `title` and `detail`: those may be improved. What is answered with 503 may be repeated after the seconds in `Retry-After`.',
]

/** The page that the `type` of every problem document leads to: no script, nothing from elsewhere. */
export function problemsPage(app: FastifyInstance): void {
  const html = page()
  app.get(problemsPath, { config: { access: 'public' } }, (_request, reply) =>
    reply
      .header('content-security-policy', contentSecurityPolicy)
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(html),
  )
}

/** The same as `docs/problems.md`. A heading that is the code alone gets it as its anchor. */
export function problemsMarkdown(): string {
  const sections = codes.map((code) => {
    const [status, title] = problems[code]
    const { happened, doNext } = problemTexts[code]
    return `## ${code}\n\n**${status} ${title}.** ${happened}\n\n_What to do:_ ${doNext}`
  })
  return `<!-- Made from src/docs/problem-texts.ts by \`npm run generate\`; change it there. -->

# Problems

${introduction.join('\n\n')}

A running service shows this page at \`/auth${problemsPath}\`.

${sections.join('\n\n')}
`
}

function page(): string {
  const sections = codes.map((code) => {
    const [status, title] = problems[code]
    const { happened, doNext } = problemTexts[code]
    return `<section id="${code}">
<h2><a href="#${code}">${code}</a></h2>
<p><strong>${status} ${html(title)}.</strong> ${html(happened)}</p>
<p><em>What to do:</em> ${html(doNext)}</p>
</section>`
  })
  const index = codes.map((code) => `<li>${problems[code][0]} <a href="#${code}">${code}</a></li>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rollbook API: problems</title>
<link rel="icon" href="data:image/svg+xml;base64,${icon}">
<style>${style}</style>
</head>
<body>
<main>
<h1>Problems</h1>
${introduction.map((paragraph) => `<p>${html(paragraph)}</p>`).join('\n')}
<p>The operations are on the <a href="../docs">docs page</a>.</p>
<nav aria-label="Codes"><ul>
${index.join('\n')}
</ul></nav>
${sections.join('\n')}
</main>
</body>
</html>
`
}

/** Text as HTML; what stands in backticks becomes code. */
function html(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replace(/`([^`]*)`/g, '<code>$1</code>')
}

const icon = readFileSync(join(import.meta.dirname, 'assets/favicon.svg')).toString('base64')

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

// `data:` is for the icon, without which browsers ask the product's host for one.
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
