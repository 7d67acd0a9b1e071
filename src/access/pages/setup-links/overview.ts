/** The overview: what the link is for, and what is done. */
import { readOrganization, type SetupFeature } from '../../../directory/organizations/service.ts'
import * as provisioning from '../../../directory/provisioning/service.ts'
import { type Html, html, type Text } from '../../../lib/html.ts'
import * as connections from '../../providers/connections/service.ts'
import { type Page, page } from '../login-pages/service.ts'
import type { Exchange, SetupNeeds } from './open.ts'
import { joined } from './parts.ts'

type Progress = { isDone: boolean; state: Text }

export const pathOf: Readonly<Record<SetupFeature, string>> = {
  domains: '/domains',
  connection: '/sign-in',
  provisioning: '/users',
}
const order = Object.keys(pathOf) as SetupFeature[]

export function featuresOf({ link }: Exchange): SetupFeature[] {
  return order.filter((feature) => link.features.includes(feature))
}

export async function overviewPage(needs: SetupNeeds, exchange: Exchange): Promise<Page> {
  const { frame, t, link, base, request } = exchange
  const steps = await stepsOf(needs, exchange)
  const titles = titlesOf(exchange)
  const next = steps.find(({ isDone }) => !isDone)
  const items = steps.map(
    ({ feature, isDone, state }) => html`<li${isDone ? html` class="done"` : ''}>
<h2><a href="${base}${pathOf[feature]}">${titles[feature]}</a>${isDone ? html` <span class="tick">${t.done}</span>` : ''}</h2>
<p class="quiet">${state}</p>
</li>
`,
  )
  const onward = next === undefined ? '' : onwardTo(exchange, next.feature)
  return page(
    frame,
    {
      title: t.title(frame.productName, link.organization.name),
      note: next === undefined ? t.allDone : undefined,
      isAccount: true,
      isSetup: true,
    },
    html`
<p>${t.intro(frame.productName)}</p>
<ol class="steps" aria-label="${t.steps}">
${joined(items)}</ol>
${onward}<p class="foot quiet small">${t.until(link.expires_at, request.now)}</p>`,
  )
}

/** The way from a step that is done to the next that is not. Empty before. */
export async function onwardFrom(needs: SetupNeeds, exchange: Exchange, current: SetupFeature): Promise<Html> {
  const steps = await stepsOf(needs, exchange)
  if (steps.some(({ feature, isDone }) => feature === current && !isDone)) return html``
  const next = steps.find(({ isDone }) => !isDone)
  return next === undefined ? html`<p>${exchange.t.allDone}</p>\n` : onwardTo(exchange, next.feature)
}

function onwardTo(exchange: Exchange, feature: SetupFeature): Html {
  const { t, base } = exchange
  return html`<a class="action onward" href="${base}${pathOf[feature]}">${t.next}: ${titlesOf(exchange)[feature]}</a>\n`
}

function titlesOf({ t }: Exchange): Record<SetupFeature, Text> {
  return { domains: t.domains.title, connection: t.company.title, provisioning: t.provisioning.title }
}

function stepsOf(needs: SetupNeeds, exchange: Exchange): Promise<(Progress & { feature: SetupFeature })[]> {
  return Promise.all(
    featuresOf(exchange).map(async (feature) => ({ feature, ...(await progressOf[feature](needs, exchange)) })),
  )
}

const progressOf: Record<SetupFeature, (needs: SetupNeeds, exchange: Exchange) => Promise<Progress>> = {
  async domains({ contextOf }, { request, link, t }) {
    const { organization } = await readOrganization(contextOf(request), link.organization.organization_id)
    const [proved, waiting] = [true, false].map((isProved) =>
      organization.domains.filter(({ verified_at }) => (verified_at !== null) === isProved).map(({ domain }) => domain),
    ) as [string[], string[]]
    if (proved.length > 0) return { isDone: true, state: t.domains.proved(proved.join(', ')) }
    return { isDone: false, state: waiting.length === 0 ? t.domains.none : t.domains.waiting(waiting.join(', ')) }
  },
  async connection({ contextOf }, { request, t }) {
    const found = await connections.list(contextOf(request))
    const one = found.find(({ active }) => active) ?? found.at(-1)
    if (one === undefined) return { isDone: false, state: t.company.none }
    return { isDone: one.active, state: one.active ? t.company.active(one.name) : t.company.draft(one.name) }
  },
  async provisioning({ contextOf, lastUseOf }, { request, t }) {
    const found = await provisioning.list(contextOf(request), lastUseOf)
    const one = found.find(({ user_count }) => user_count > 0) ?? found.at(-1)
    if (one === undefined) return { isDone: false, state: t.provisioning.none }
    const { name, user_count } = one
    return user_count > 0
      ? { isDone: true, state: t.provisioning.working(name, user_count) }
      : { isDone: false, state: t.provisioning.waiting(name) }
  },
}
