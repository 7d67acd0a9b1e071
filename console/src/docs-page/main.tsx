/** The docs page: every operation of the API, to read, to filter and to call. */
import '../inter-latin.css'
import '../colors.css'
import './page.css'
import '../environment-tag.css'
import '../forced-colors.css'
import { createRoot } from 'react-dom/client'
import { loadDocument } from './document.ts'
import { Page } from './page.tsx'

const container = document.getElementById('docs')
if (container === null) throw new Error('The page has no element for the operations.')
const root = createRoot(container)
const darkScheme = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', darkScheme.matches)
darkScheme.addEventListener('change', followScheme)
followScheme()

const openapi = new URL(container.dataset.openapi ?? 'openapi.json', location.href)
// The requests take the way by which the page was reached, whatever the public address in the document is.
// Absolute: a path that began with two slashes would name another host.
const api = new URL('.', openapi).href.replace(/\/$/, '')

async function show(): Promise<void> {
  try {
    const document = await loadDocument(openapi.href)
    root.render(
      <Page
        document={document}
        api={api}
        openapiUrl={openapi.href}
        product={container?.dataset.product ?? 'Rollbook'}
      />,
    )
  } catch (error) {
    root.render(<Failure reason={error instanceof Error ? error.message : String(error)} />)
  }
}

function Failure({ reason }: { reason: string }) {
  return (
    <main className="nothing" role="alert">
      <p>The operations could not be loaded. {reason}</p>
      <button type="button" className="btn primary" onClick={show}>
        Try again
      </button>
    </main>
  )
}

void show()
