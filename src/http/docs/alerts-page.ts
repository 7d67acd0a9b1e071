/** The page that the `runbook_url` of every alert in deploy/prometheus/alerts.yml links to. */
import type { FastifyInstance } from 'fastify'
import { alertTexts } from './alert-texts.ts'
import { type Reference, referenceMarkdown, serveReference } from './reference-page.ts'

const alertsPath = '/docs/alerts'

const reference: Reference = {
  title: 'Alerts',
  introduction: [
    'What each alert in `deploy/prometheus/alerts.yml` means and what to do. Its `runbook_url` leads to the paragraph here: put your own address in place of `https://orchard.example.com` in that file.',
    '`critical` is worth waking someone for: people or programs are refused now. `warning`: they will be, or something is odd; look at it in working hours. The thresholds suit a service of some hundred to some thousand users.',
  ],
  namesOf: 'Alerts',
  entries: Object.entries(alertTexts).map(([name, { severity, ...texts }]) => ({ name, kind: severity, ...texts })),
}

export function alertsPage(app: FastifyInstance): void {
  serveReference(app, alertsPath, reference)
}

/** The same as Markdown, for docs/alerts.md. */
export function alertsMarkdown(): string {
  return referenceMarkdown(reference, 'src/http/docs/alert-texts.ts', alertsPath)
}
