/** The page that the `runbook_url` of every alert in deploy/prometheus/alerts.yml links to. */
import type { FastifyInstance } from 'fastify'
import { alertTexts } from './alert-texts.ts'
import { type Reference, referenceMarkdown, serveReference } from './reference-page.ts'

const alertsPath = '/docs/alerts'

const reference: Reference = {
  title: 'Alerts',
  introduction: [
    'What each alert in `deploy/prometheus/alerts.yml` means and what to do. Its `runbook_url` links to the paragraph here. In that file, replace `https://orchard.example.com` with your own address.',
    '`critical` is worth waking someone up: users or programs are being refused now. `warning` means that they soon will be, or that something is unusual; look at it during working hours. The thresholds suit a service with a few hundred to a few thousand users.',
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
