/** *Provisioning*: the address and the key for the provider, and who arrived last. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as connections from '../../../directory/provisioning/service.ts'
import { type Html, html } from '../../../lib/html.ts'
import { form, formOf, hidden, type Message, type Page } from '../login-pages/service.ts'
import { providerName } from './company-views.ts'
import type { Exchange, SetupNeeds, SetupPages } from './open.ts'
import { onwardFrom } from './overview.ts'
import {
  bookOf,
  button,
  copyValue,
  guideSteps,
  isOutdated,
  joined,
  latestField,
  outdatedFault,
  section,
  setupPage,
} from './parts.ts'

const profiles = ['entra', 'google', 'okta', 'jumpcloud', 'strict'] as const
type Profile = (typeof profiles)[number]

export function provisioningPages(app: FastifyInstance, { needs, opened }: SetupPages): void {
  const path = '/setup/:token/users'
  const one = `${path}/:connection_id`

  app.get(
    path,
    hidden,
    opened('provisioning', async (exchange) => {
      const found = await connections.list(needs.contextOf(exchange.request), needs.lastUseOf)
      return exchange.send(choicePage(exchange, found))
    }),
  )

  app.post(
    path,
    form,
    opened('provisioning', async (exchange) => {
      const profile = profiles.find((name) => name === formOf(exchange.request).provider)
      if (profile === undefined) return exchange.go('/users')
      const found = await connections.list(needs.contextOf(exchange.request), needs.lastUseOf)
      if (isOutdated(exchange, found)) return exchange.send(choicePage(exchange, found, outdatedFault(exchange)), 409)
      const created = await create(needs, exchange, profile)
      return exchange.send(keyPage(needs, exchange, created))
    }),
  )

  app.get(
    one,
    hidden,
    opened('provisioning', async (exchange) => {
      const found = await findOwn(needs, exchange)
      return found === undefined ? exchange.go('/users') : exchange.send(await statePage(needs, exchange, found))
    }),
  )

  // Another key takes another connection, which is harmless as long as nobody has arrived.
  app.post(
    `${one}/again`,
    form,
    opened('provisioning', async (exchange) => {
      const { request, reply } = exchange
      const found = await findOwn(needs, exchange)
      if (found === undefined || found.user_count > 0 || found.managed_by !== undefined) return exchange.go('/users')
      const input = () => ({ connection_id: found.connection_id, expected: undefined })
      await needs.makeChange(request, reply, 'provisioning.delete', { input })
      return exchange.send(keyPage(needs, exchange, await create(needs, exchange, found.profile)))
    }),
  )
}

type Created = { connection_id: string; profile: Profile; key: string }

/** Named like the company; otherwise if that is taken. */
async function create(
  { makeChange }: SetupNeeds,
  { request, reply, link }: Exchange,
  profile: Profile,
): Promise<Created> {
  const { name } = link.organization
  const names = [name, `${name} (SCIM)`, `${name} (SCIM ${request.now.toString(36).slice(-5)})`]
  for (const [i, one] of names.entries()) {
    try {
      const { result } = await makeChange(request, reply, 'provisioning.create', {
        input: () => ({ name: one.slice(0, 128), profile }),
      })
      return { connection_id: result.connection.connection_id, profile, key: result.key }
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === 'connection_name_taken'
      if (!isTaken || i === names.length - 1) throw error
    }
  }
  throw new Error('The last name is tried or refused.')
}

async function findOwn(needs: SetupNeeds, { request }: Exchange): Promise<connections.Shown | undefined> {
  const { connection_id } = request.params as { connection_id: string }
  const found = await connections.list(needs.contextOf(request), needs.lastUseOf)
  return found.find((one) => one.connection_id === connection_id.toLowerCase())
}

function choicePage(exchange: Exchange, found: readonly connections.Shown[], fault?: Message): Page {
  const { t, base } = exchange
  const words = t.provisioning
  const started = found.map(
    ({
      connection_id,
      name,
      user_count,
    }) => html`<li><div class="what">${user_count > 0 ? words.working(name, user_count) : words.waiting(name)}</div>
<a class="action second" href="${base}/users/${connection_id}">${t.open}</a></li>
`,
  )
  const present =
    found.length === 0
      ? ''
      : html`<ul class="rows">
${joined(started)}</ul>
`
  const buttons = profiles.map(
    (profile) =>
      html`<button class="action second" type="submit" name="provider" value="${profile}">${providerName(exchange, `provisioning ${profile}`, words.other)}</button>\n`,
  )
  const content = html`${present}<p>${words.why}</p>
${section(
  t.company.choose,
  html`<form class="providers" method="post" action="${base}/users">
${latestField(found)}${joined(buttons)}</form>
`,
)}`
  return setupPage(exchange, { title: words.title, content, fault })
}

const scimUrl = ({ links }: SetupNeeds) => `${links.issuer()}/scim/v2`

function keyPage(needs: SetupNeeds, exchange: Exchange, { connection_id, profile, key }: Created): Page {
  const { t, base, frame } = exchange
  const words = t.provisioning
  const values = { scim_url: scimUrl(needs), key, product: frame.productName }
  const content = html`<p class="message note">${words.createdWhy}</p>
<dl class="facts">
<dt>${words.address}</dt><dd>${copyValue(exchange, { id: 'address', field: words.address, value: values.scim_url })}</dd>
<dt>${words.key}</dt><dd>${copyValue(exchange, { id: 'key', field: words.key, value: key })}</dd>
</dl>
${stepsAt(exchange, profile, values)}<a class="action" href="${base}/users/${connection_id}">${words.haveCopied}</a>
`
  return setupPage(exchange, { title: words.created, content, isOnce: true })
}

function stepsAt(exchange: Exchange, profile: Profile, values: Readonly<Record<string, string>>): Html {
  const { t } = exchange
  const guide = bookOf(exchange).guides[`provisioning ${profile}`]
  if (guide === undefined) return html``
  const title = guide.product === undefined ? t.provisioning.steps : t.company.at(guide.product)
  const instead = { key: html`<span class="quiet">${t.provisioning.keyGone}</span>` }
  return section(title, guideSteps(exchange, { guide, values, instead }))
}

async function statePage(needs: SetupNeeds, exchange: Exchange, found: connections.Shown): Promise<Page> {
  const { t, base, request, frame } = exchange
  const words = t.provisioning
  const { connection_id, last_used_at, user_count, managed_by } = found
  const { db } = needs.storage
  const latest = await connections.findLatestManaged(db, scopeOf(request.actor), connection_id)
  const [rejected] = await connections.listRejections(needs.contextOf(request), connection_id, 1)
  const contact = last_used_at === null ? words.noContact : words.lastContact(last_used_at, request.now)
  const here = `${base}/users/${connection_id}`
  const refused =
    rejected === undefined
      ? ''
      : html`<div class="message fault"><strong>${words.rejected(rejected.rejected_at, request.now)}</strong>
<p lang="en" dir="ltr">${rejected.detail}</p>
<p>${words.rejectedWhy}</p></div>
`
  const arrived =
    latest === undefined
      ? html`<p>${words.nobody}</p>\n`
      : html`<p class="message note"><strong>${t.company.testedWell}</strong> ${words.arrived(latest.username, latest.created_at, request.now)}</p>\n`
  const again =
    user_count > 0 || managed_by !== undefined
      ? ''
      : button({ action: `${here}/again`, text: words.newKey, hint: words.newKeyWhy })
  const values = { scim_url: scimUrl(needs), product: frame.productName }
  const content = html`<dl class="facts">
<dt>${words.address}</dt><dd>${copyValue(exchange, { id: 'address', field: words.address, value: values.scim_url })}</dd>
</dl>
${section(
  words.check,
  html`${arrived}<p class="quiet">${contact}</p>
${refused}<a class="action second" href="${here}">${words.checkAgain}</a>
`,
)}${stepsAt(exchange, found.profile, values)}${again}`
  const onward = user_count > 0 ? await onwardFrom(needs, exchange, 'provisioning') : undefined
  return setupPage(exchange, { title: words.title, content, onward })
}
