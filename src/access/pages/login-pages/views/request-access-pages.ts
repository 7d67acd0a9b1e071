/** The content of the pages on which people ask for access. request-access.ts decides which one is shown. */
import type { Definition } from '../../../../directory/attributes/service.ts'
import { type Html, html, type Text } from '../../../../lib/html.ts'
import type { RequestRow } from '../../../sign-in/access-requests/service.ts'
import type { Texts } from '../../page-texts/service.ts'
import { describedBy, type Frame, faultAt, type Message, type Page, page, problemPage } from './pages.ts'

export function enterAddressPage(frame: Frame, { email = '', fault }: { email?: string; fault?: Message } = {}): Page {
  const { t } = frame
  const described = fault && html` aria-describedby="message" aria-invalid="true"`
  return page(
    frame,
    { title: t.requestAccess.title, fault },
    html`
<p class="quiet">${t.requestAccess.intro}</p>
<form method="post" action="${frame.up}request-access">
<div class="field">
<label for="email">${t.requestAccess.email}</label>
<div class="control"><input id="email" name="email" type="text" inputmode="email" dir="auto" value="${email}" autocomplete="email"
 autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="254" required autofocus${described}></div>
</div>
<button class="action" type="submit">${t.requestAccess.submit}</button>
</form>
<a class="action second" href="${frame.up}login">${t.page.backToSignIn}</a>`,
  )
}

/** The same for every address. */
export function addressEnteredPage(frame: Frame): Page {
  const { t } = frame
  return page(
    frame,
    { title: t.links.sent, isOnce: true },
    html`
<p>${t.requestAccess.sentDetail}</p>
<p class="quiet">${t.requestAccess.sentHelp}</p>
<a class="action second" href="${frame.up}request-access">${t.requestAccess.tryOther}</a>`,
  )
}

export function noMailForRequestsPage(frame: Frame): Page {
  const { t } = frame
  return page(
    frame,
    { title: t.requestAccess.title },
    html`
<p>${t.requestAccess.withoutMail}</p>
<a class="action" href="${frame.up}login">${t.page.backToSignIn}</a>`,
  )
}

/** What was typed, by the name of the field; attributes are `attributes.<name>`. */
export type Typed = Readonly<Record<string, string | undefined>>

type RequestForm = {
  email: string
  /** The company that the person will sign in with. */
  company: string | undefined
  definitions: readonly Definition[]
  typed: Typed
  /** By the name of the field. */
  faults: Readonly<Record<string, Text>>
}

export function requestFormPage(frame: Frame, { email, company, definitions, typed, faults }: RequestForm): Page {
  const { t } = frame
  const texts = t.requestAccess
  const [first] = Object.entries(faults)
  const names = { first_name: texts.firstName, last_name: texts.lastName }
  const fields = [
    ...Object.entries(names).map(([name, label]) =>
      field({ name, label, fault: faults[name], hint: texts.optional }, (described) => {
        const complete = name === 'first_name' ? 'given-name' : 'family-name'
        return html`<input id="${name}" name="${name}" type="text" dir="auto" value="${typed[name]}" autocomplete="${complete}" maxlength="256"${described}>`
      }),
    ),
    ...definitions.map((definition) => attributeField(texts, { definition, typed, faults })),
    field({ name: 'reason', label: texts.why, fault: faults.reason, hint: texts.whyHint }, (described) => {
      return html`<textarea id="reason" name="reason" dir="auto" rows="3" maxlength="500" required${described}>${typed.reason}</textarea>`
    }),
  ]
  return page(
    frame,
    {
      title: texts.formTitle,
      fault: first && { title: texts.failed, detail: first[1], at: first[0] },
      note: company === undefined ? undefined : texts.company(company),
    },
    html`
<p class="quiet">${texts.formIntro(email)}</p>
<form method="post">
${joined(fields)}<button class="action" type="submit">${texts.send}</button>
</form>`,
  )
}

type Field = { name: string; label: string; fault: Text | undefined; hint?: Text | undefined }

function field({ name, label, fault, hint }: Field, control: (described: Html) => Html): Html {
  const described = describedBy(`${name}-fault`, fault, hint === undefined ? undefined : `${name}-hint`)
  const below = hint === undefined ? '' : html`<p id="${name}-hint">${hint}</p>\n`
  return html`<div class="field">
<label for="${name}"><bdi>${label}</bdi></label>
<div class="control">${control(described)}</div>
${faultAt(`${name}-fault`, fault)}${below}</div>
`
}

const inputTypes: Partial<Record<Definition['type'], string>> = { date: 'date', url: 'url', email: 'email' }

function attributeField(
  texts: Texts['requestAccess'],
  { definition, typed, faults }: { definition: Definition } & Pick<RequestForm, 'typed' | 'faults'>,
): Html {
  const { label, type } = definition
  const name = `attributes.${definition.name}`
  const hint = { 'string[]': texts.listHint, datetime: texts.timeHint }[type as string]
  const value = typed[name] ?? ''
  return field({ name, label, fault: faults[name], hint }, (described) => {
    const options = type === 'boolean' ? { true: texts.yes, false: texts.no } : optionsOf(definition)
    if (options === undefined) {
      return html`<input id="${name}" name="${name}" type="${inputTypes[type] ?? 'text'}" dir="auto" value="${value}" required${described}>`
    }
    const chosen = Object.entries(options).map(
      ([option, words]) =>
        html`<option value="${option}"${option === value ? html` selected` : ''}>${words}</option>\n`,
    )
    return html`<select id="${name}" name="${name}" required${described}>
<option value="">${texts.choose}</option>
${joined(chosen)}</select>`
  })
}

function optionsOf({ type, options }: Definition): Record<string, string> | undefined {
  return type === 'enum' && options !== null ? Object.fromEntries(options.map((option) => [option, option])) : undefined
}

function joined(parts: readonly Html[]): Html {
  return parts.reduce((before, part) => html`${before}${part}`, html``)
}

export function requestSentPage(frame: Frame, email: string): Page {
  const { t } = frame
  return page(
    frame,
    { title: t.requestAccess.sent, isOnce: true },
    html`
<p>${t.requestAccess.sentFormDetail(email)}</p>`,
  )
}

/** Why a link does not work, and what to do. Undefined: no request belongs to it. */
export function deadRequestPage(frame: Frame, state: RequestRow['state'] | undefined, requestId: string): Page {
  const { deadLink, requestAccess } = frame.t
  const isDecided = state === 'approved' || state === 'declined'
  const again = state === 'open' || state === 'expired'
  const why = again
    ? deadLink.expired
    : state === undefined
      ? deadLink.unknown
      : isDecided
        ? requestAccess.decided
        : requestAccess.waiting
  const detail = again ? html`${why} <a href="${frame.up}request-access">${requestAccess.again}</a>` : why
  return problemPage(frame, { title: deadLink.title, detail, requestId, languages: true })
}
