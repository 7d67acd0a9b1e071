/** The content of the pages for company sign-in. */
import { type Html, html, type Text } from '../../../lib/html.ts'
import type { SignInFailure } from '../../providers/connections/schema.ts'
import type { Shown } from '../../providers/connections/service.ts'
import { claimsTable, explainedIn, type Message, type Page } from '../login-pages/service.ts'
import type { Exchange } from './open.ts'
import {
  bookOf,
  button,
  field,
  guideSteps,
  joined,
  latestField,
  marked,
  outdatedFault,
  pageSteps,
  type SetupField,
  section,
  setupPage,
} from './parts.ts'

type Form = Readonly<Record<string, string | undefined>>
/** `english`: what the service says about the value. */
type FieldFault = { text: Text; suggestion?: string; english?: string | undefined }
export type FieldFaults = Readonly<Record<string, FieldFault>>

export type CompanyView = {
  connection: Shown
  addresses: Readonly<Record<string, string>>
  tested: SignInFailure | undefined
  domains: readonly string[]
  signInUrl: string
  done: 'saved' | 'switchedOn' | 'switchedOff' | undefined
  onward: Html | undefined
  typed: Form
  fault: Message
  fields: FieldFaults
  /** The faults are only likely ones: sent once more, the values are accepted. */
  isOdd: boolean
}

const first = ['oidc entra', 'oidc google', 'oidc okta'] as const
const more = ['oidc keycloak', 'oidc auth0', 'oidc gitlab'] as const
const saml = ['saml entra', 'saml google', 'saml okta', 'saml keycloak', 'saml adfs'] as const
const longNames: Readonly<Record<string, string>> = { Google: 'Google Workspace', 'Entra ID': 'Microsoft Entra ID' }

/** A provider by the name that people know. */
export function providerName(exchange: Exchange, name: string, other: string): string {
  const { product } = bookOf(exchange).guides[name] ?? {}
  return product === undefined ? other : (longNames[product] ?? product)
}

export function choicePage(
  exchange: Exchange,
  { found, hasDomain, isOutdated }: { found: readonly Shown[]; hasDomain: boolean; isOutdated: boolean },
): Page {
  const { t, base } = exchange
  const words = t.company
  const choose = (name: string, other: string) =>
    html`<button class="action second" type="submit" name="provider" value="${name}">${providerName(exchange, name, other)}</button>\n`
  const started = found.map(
    ({
      connection_id,
      name,
      active,
    }) => html`<li><div class="what">${active ? words.active(name) : words.draft(name)}</div>
<a class="action second" href="${base}/sign-in/${connection_id}">${t.open}</a></li>
`,
  )
  const present =
    found.length === 0
      ? ''
      : html`<ul class="rows">
${joined(started)}</ul>
`
  const content = html`${hasDomain ? '' : domainFirst(exchange)}${present}<p>${words.why}</p>
${section(
  words.choose,
  html`<form class="providers" method="post" action="${base}/sign-in">
${latestField(found)}${joined([...first, ...more].map((name) => choose(name, '')))}${choose('oidc generic', words.other)}</form>
`,
)}<details class="instead"><summary>${words.withSaml}</summary>
<p class="quiet">${words.withSamlWhy}</p>
<form class="providers" method="post" action="${base}/sign-in">
${latestField(found)}${joined(saml.map((name) => choose(name, '')))}${choose('saml generic', words.otherSaml)}</form>
</details>
`
  return setupPage(exchange, { title: words.title, content, fault: isOutdated ? outdatedFault(exchange) : undefined })
}

function domainFirst({ t, base, link }: Exchange): Html {
  const { proveFirst } = t.company
  const text = link.features.includes('domains')
    ? html`<a href="${base}/domains">${proveFirst}</a>`
    : html`${proveFirst}`
  return html`<p class="message fault">${text}</p>\n`
}

export function notYoursPage(exchange: Exchange, { name, active }: Shown): Page {
  const { t } = exchange
  const content = html`<p>${active ? t.company.active(name) : t.company.draft(name)}</p>
<p>${t.company.notYours}</p>
`
  return setupPage(exchange, { title: t.company.title, content })
}

/** The fields of a connection that its provider needs. */
export function fieldsOf(exchange: Exchange, { kind, preset }: Pick<Shown, 'kind' | 'preset'>): SetupField[] {
  const guide = bookOf(exchange).guides[`${kind} ${preset}`]
  const hidden = new Set(guide?.hides.map(({ name }) => name))
  const fields: SetupField[] =
    kind === 'saml'
      ? [
          { name: 'metadata_url', label: '' },
          { name: 'metadata', label: '', type: 'textarea' },
          { name: 'emails_verified', label: '', type: 'checkbox', isRequired: true },
        ]
      : [
          { name: 'issuer', label: '' },
          { name: 'client_id', label: '' },
          { name: 'client_secret', label: '', type: 'password' },
        ]
  return fields.filter(({ name }) => !hidden.has(name)).map((one) => ({ ...one, label: labelOf(exchange, one.name) }))
}

export function labelOf({ t: { company } }: Exchange, name: string): string {
  const labels: Readonly<Record<string, string>> = {
    issuer: company.issuer,
    client_id: company.clientId,
    client_secret: company.clientSecret,
    metadata_url: company.metadataUrl,
    metadata: company.metadata,
    emails_verified: company.addressesFixed,
  }
  return labels[name] ?? name
}

/** Whether everything that the provider gives is there. */
function isComplete(connection: Shown): boolean {
  const { kind } = connection
  if (kind === 'saml') return connection.sso_url !== undefined && connection.entity_id !== undefined
  return connection.client_id !== undefined && connection.issuer !== undefined
}

const isGood = (tested: SignInFailure | undefined) =>
  tested !== undefined && tested.test_outcome !== null && tested.test_outcome !== 'refused'

export function connectionPage(
  exchange: Exchange,
  view: Omit<CompanyView, 'typed' | 'fault' | 'fields' | 'isOdd'> & Partial<CompanyView>,
): Page {
  const { t, frame, base } = exchange
  const { connection, addresses, tested, domains, signInUrl, done, onward, fault, isOdd = false } = view
  const words = t.company
  const { kind, preset, connection_id, active } = connection
  const guide = bookOf(exchange).guides[`${kind} ${preset}`]
  const here = `${base}/sign-in/${connection_id}`
  const isReady = isComplete(connection)
  const works = isGood(tested)
  const names = domains.join(', ')
  const values = { ...addresses, product: frame.productName }
  const steps = [
    {
      title: guide?.product === undefined ? words.atProvider : words.at(guide.product),
      isDone: isReady,
      content: html`<p class="quiet">${words.atWhy(frame.productName)}</p>
${guide === undefined ? '' : guideSteps(exchange, { guide, values })}`,
    },
    { title: words.paste, isDone: isReady, content: valuesForm(exchange, view, here) },
    {
      title: words.test,
      isDone: works,
      content: isReady
        ? html`<p class="quiet">${words.testWhy}</p>
${tested === undefined ? '' : testedLine(exchange, tested, here)}<a class="action${works ? ' second' : ''}" href="${here}/test">${tested === undefined ? words.testNow : words.testAgain}</a>
`
        : html`<p class="quiet">${words.testMissing}</p>\n`,
    },
    {
      title: words.switchOn,
      isDone: active,
      content: active
        ? html`<p>${words.isOn((connection.domains ?? []).join(', '))}</p>
<p>${words.signInHere} <a href="${signInUrl}"><bdi dir="ltr">${signInUrl}</bdi></a></p>
${button({ action: `${here}/active`, text: words.switchOff, fields: { active: 'false' } })}`
        : domains.length === 0
          ? domainFirst(exchange)
          : isReady
            ? html`<p class="quiet">${words.switchOnWhy(names)}</p>
${works ? '' : html`<p>${words.untested}</p>\n`}${button({ action: `${here}/active`, text: words.switchOn, fields: { active: 'true' }, isFirst: works })}`
            : html`<p class="quiet">${words.testMissing}</p>\n`,
    },
  ]
  const over = active ? '' : button({ action: `${here}/remove`, text: words.startOver })
  const note = fault === undefined && !isOdd && done !== undefined ? words[done] : undefined
  const shownFault = isOdd
    ? { title: words.looksOdd, detail: firstText(view.fields), at: firstName(view.fields) }
    : fault
  return setupPage(exchange, {
    title: providerName(exchange, `${kind} ${preset}`, words.title),
    content: html`${pageSteps(exchange, steps)}${over}`,
    fault: shownFault,
    note,
    onward,
  })
}

const firstName = (fields: FieldFaults = {}) => Object.keys(fields)[0] ?? ''
const firstText = (fields: FieldFaults = {}) => Object.values(fields)[0]?.text ?? ''

function valuesForm(
  exchange: Exchange,
  { connection, typed = {}, fields = {}, isOdd = false }: Pick<CompanyView, 'connection'> & Partial<CompanyView>,
  action: string,
): Html {
  const { t } = exchange
  const words = t.company
  const guide = bookOf(exchange).guides[`${connection.kind} ${connection.preset}`]
  const stored = connection as unknown as Readonly<Record<string, unknown>>
  const inputs = fieldsOf(exchange, connection).map((one) => {
    const { name, type } = one
    const isSecret = type === 'password'
    const isShown = ['string', 'boolean'].includes(typeof stored[name]) && !isSecret && type !== 'textarea'
    const before = isShown ? String(stored[name]) : ''
    const hasSecret = isSecret && connection.has_client_secret === true
    const where = guide?.pastes[name]
    const parts = [
      ...(where === undefined ? [] : [html`${words.findIt} ${marked(where)}`]),
      ...(hasSecret ? [html`${words.secretStored}`] : []),
      ...(name === 'metadata' && where === undefined ? [html`${words.metadataHint}`] : []),
      ...(type === 'checkbox' ? [html`${words.addressesFixedWhy}`] : []),
    ]
    const hint =
      parts.length === 0 ? undefined : joined(parts.map((part, i) => html`${i > 0 ? html`<br>` : ''}${part}`))
    // A likely mistake is confirmed by sending the form once more, so the secret stays in it; otherwise it is not repeated.
    const value = isSecret && !isOdd ? '' : (typed[name] ?? before)
    return field({ ...one, value, hint, fault: faultText(exchange, fields[name]) })
  })
  const sure = isOdd
    ? html`<p class="quiet small">${words.sureWhy}</p>\n<input type="hidden" name="sure" value="yes">\n`
    : ''
  return html`<form method="post" action="${action}">
${joined(inputs)}${sure}<button class="action" type="submit">${words.save}</button>
</form>
`
}

function faultText({ t }: Exchange, fault: FieldFault | undefined): Html | undefined {
  if (fault === undefined) return undefined
  const meant = fault.suggestion === undefined ? '' : html` ${t.company.meant(fault.suggestion)}`
  const english = fault.english === undefined ? '' : html` <span lang="en" dir="ltr">${fault.english}</span>`
  return html`${fault.text}${meant}${english}`
}

function testedLine({ t, request }: Exchange, tested: SignInFailure, here: string): Html {
  const words = t.company
  const works = isGood(tested)
  return html`<p class="message ${works ? 'note' : 'fault'}"><strong>${words.tested(tested.failed_at, request.now)} ${works ? words.testedWell : words.testedBadly}</strong> <a href="${here}/result">${words.showTest}</a></p>
`
}

export function testResultPage(
  exchange: Exchange,
  { connection, tested }: { connection: Shown; tested: SignInFailure },
): Page {
  const { frame, t, base } = exchange
  const { test } = frame.t
  const works = isGood(tested)
  const outcome = tested.test_outcome ?? 'refused'
  const isUnconfirmed = tested.test_reason === 'email_unverified' && connection.kind === 'oidc'
  const why = () =>
    isUnconfirmed ? t.company.unconfirmed : explainedIn(frame.t, tested.test_reason ?? undefined, tested.detail)
  const detail = works ? '' : why()
  const content = html`<p class="message ${works ? 'note' : 'fault'}" role="status"><strong>${test.outcomes[outcome]}</strong> ${detail}</p>
${claimsTable(frame, tested.claims)}<a class="action" href="${base}/sign-in/${connection.connection_id}">${works && !connection.active ? html`${t.next}: ${t.company.switchOn}` : t.company.toSetup}</a>
`
  return setupPage(exchange, { title: works ? t.company.testedWell : t.company.testedBadly, content })
}
