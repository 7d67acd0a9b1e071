/** *Prove your domain*: add one, publish its record, look for it. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import {
  checkDomain,
  getDomain,
  newProof,
  readOrganization,
  requireProof,
} from '../../../directory/organizations/service.ts'
import { type Html, html, type Text } from '../../../lib/html.ts'
import { type Form, form, formOf, hidden, type Message, type Page, queryOf } from '../login-pages/service.ts'
import type { Exchange, SetupNeeds, SetupPages } from './open.ts'
import { onwardFrom } from './overview.ts'
import { button, copyValue, field, joined, setupPage } from './parts.ts'

type View = { typed?: string; fault?: Message | undefined; fieldFault?: Text | undefined; at?: string | undefined }

const notes = ['added', 'removed', 'verified'] as const

export function domainPages(app: FastifyInstance, { needs, limiter, opened }: SetupPages): void {
  const path = '/setup/:token/domains'

  app.get(
    path,
    hidden,
    opened('domains', async (exchange) => exchange.send(await domainsPage(needs, exchange, {}))),
  )

  app.post(
    path,
    form,
    opened('domains', async (exchange) => {
      const { request, reply, link, go } = exchange
      const { organization_id } = link.organization
      const { domain: typed = '' } = formOf(request)
      return attempt(exchange, needs, { typed }, async () => {
        await needs.makeChange(request, reply, 'organizations.add_domain', {
          input: () => ({
            organization_id,
            domain: checkDomain(domainInPaste(typed)),
            proof: newProof(),
            verified: false,
          }),
        })
        return go('/domains?done=added')
      })
    }),
  )

  app.post(
    `${path}/check`,
    form,
    opened('domains', async (exchange) => {
      const { request, reply, link, go } = exchange
      const { organization_id } = link.organization
      const domain = domainIn(formOf(request))
      return attempt(exchange, needs, { at: domain }, async () => {
        await needs.makeChange(request, reply, 'organizations.verify_domain', {
          input: async () => {
            const found = await getDomain(needs.contextOf(request), { organization_id, domain })
            if (found.verified_at === null) {
              limiter.count(organization_id, request.now)
              await requireProof(found, { servers: needs.config.dnsServers })
            }
            return { organization_id, domain, proof: found.proof }
          },
        })
        return go('/domains?done=verified')
      })
    }),
  )

  app.post(
    `${path}/remove`,
    form,
    opened('domains', async (exchange) => {
      const { request, reply, link, go } = exchange
      const { organization_id } = link.organization
      return attempt(exchange, needs, {}, async () => {
        const of = { organization_id, domain: domainIn(formOf(request)) }
        // A proved domain recognizes people: only who made the link takes that back.
        const { verified_at } = await getDomain(needs.contextOf(request), of)
        if (verified_at === null)
          await needs.makeChange(request, reply, 'organizations.remove_domain', { input: () => of })
        return go('/domains?done=removed')
      })
    }),
  )
}

/** The domain of an address of a person or a page: people paste those, too. */
function domainInPaste(typed: string): string {
  const [, host = ''] = /^(?:[a-z][a-z\d+.-]*:\/\/)?(?:[^/?#]*@)?(?:www\.)?([^/?#]*)/i.exec(typed.trim()) ?? []
  return host.replace(/\.$/, '')
}

function domainIn({ domain = '' }: Form): string {
  return checkDomain(domain)
}

async function attempt(
  exchange: Exchange,
  needs: SetupNeeds,
  view: View,
  run: () => Promise<ReturnType<Exchange['go']>>,
): Promise<ReturnType<Exchange['go']>> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.status >= 500 && error.code !== 'name_server_unavailable') throw error
    const { t, reply, send } = exchange
    const invalid = error.code === 'validation_failed'
    const detail = invalid ? t.domains.invalid : faultIn(exchange, error)
    const fault = { title: t.notDone, detail, ...(invalid && { at: 'domain' }) }
    reply.headers(error.headers)
    const refused = { ...view, fault, ...(invalid && { fieldFault: t.domains.invalid }) }
    return send(await domainsPage(needs, exchange, refused), error.status)
  }
}

function faultIn({ t }: Exchange, { code, members }: AppError): Text {
  const reason = String(members?.reason ?? '')
  const { found } = t.domains
  if (Object.hasOwn(found, reason)) return found[reason as keyof typeof found]
  if (code === 'domain_taken') return t.domains.taken
  if (code === 'too_many_domains') return t.domains.tooMany
  return code === 'too_many_attempts' ? t.domains.tooOften : t.failed
}

async function domainsPage(
  needs: SetupNeeds,
  exchange: Exchange,
  { typed = '', fault, fieldFault, at }: View,
): Promise<Page> {
  const { t, base, request, link } = exchange
  const words = t.domains
  const { organization } = await readOrganization(needs.contextOf(request), link.organization.organization_id)
  const { domains } = organization
  const done = notes.find((one) => one === queryOf(request).done)
  const add = html`<form method="post" action="${base}/domains">
${field({ name: 'domain', label: words.label, value: typed, hint: words.hint, fault: fieldFault, isRequired: true })}<button class="action${domains.length === 0 ? '' : ' second'}" type="submit">${words.add}</button>
</form>
`
  const content = html`<p>${words.why}</p>
${joined(domains.map((one, i) => domainSection(exchange, one, { number: i, isOpen: at === one.domain })))}${
  domains.length === 0
    ? add
    : html`<section>
<h2>${words.addAnother}</h2>
${add}</section>
`
}`
  const note = fault === undefined && done !== undefined ? words[done] : undefined
  const onward = await onwardFrom(needs, exchange, 'domains')
  return setupPage(exchange, { title: words.title, content, fault, note, onward })
}

type Shown = { domain: string; verified_at: string | null; record_name: string; record_value: string }

function domainSection(
  exchange: Exchange,
  { domain, verified_at, record_name, record_value }: Shown,
  { number }: { number: number; isOpen: boolean },
): Html {
  const { t, base } = exchange
  const words = t.domains
  const title = html`<bdi dir="ltr">${domain}</bdi>`
  if (verified_at !== null) {
    return html`<section>
<h2>${title} <span class="tick">${t.done}</span></h2>
<p class="quiet">${words.isProved}</p>
</section>
`
  }
  const rows = [
    [words.type, html`<code dir="ltr">TXT</code>`],
    [words.name, copyValue(exchange, { id: `name-${number}`, field: words.name, value: record_name })],
    [words.content, copyValue(exchange, { id: `content-${number}`, field: words.content, value: record_value })],
  ] as const
  const table = joined(rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`))
  return html`<section>
<h2>${title}</h2>
<ol class="guide">
<li>${words.where(domain)}</li>
<li>${words.entry}
<table class="claims values">
<tbody>
${table}</tbody>
</table>
<p class="quiet small">${words.nameHint('_rollbook')}</p></li>
<li>${words.press}
${button({ action: `${base}/domains/check`, text: words.check, fields: { domain }, isFirst: true })}</li>
</ol>
${button({ action: `${base}/domains/remove`, text: words.remove, fields: { domain } })}</section>
`
}
