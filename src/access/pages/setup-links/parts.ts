/** The parts that the pages share: numbered steps, values to copy, forms. */
import { type Html, html, type Text } from '../../../lib/html.ts'
import { describedBy, faultAt, formOf, type Message, type Page, page } from '../login-pages/service.ts'
import type { Language } from '../page-texts/service.ts'
import { type Guide, type GuideBook, type GuideRow, guideBook } from './guides.ts'
import type { Exchange } from './open.ts'

export function joined(parts: readonly (Html | string)[]): Html {
  return parts.reduce<Html>((before, part) => html`${before}${part}`, html``)
}

type Shown = {
  title: Text
  content: Html
  fault?: Message | undefined
  note?: Text | undefined
  /** What comes after the content, once this step is done. */
  onward?: Html | undefined
  isOnce?: boolean
}

/** A page of the setup. Every page but the overview leads back to it. */
export function setupPage({ frame, base, t }: Exchange, { title, content, fault, note, onward, isOnce }: Shown): Page {
  return page(
    frame,
    { title, fault, note, isAccount: true, isSetup: true, ...(isOnce === true && { isOnce }) },
    html`
${content}${onward}<p class="foot"><a href="${base}">${t.toOverview}</a></p>
<script defer src="${frame.assets}/copy.js"></script>`,
  )
}

export function section(title: Text, content: Html): Html {
  return html`<section>
<h2>${title}</h2>
${content}</section>
`
}

/** One of the numbered steps of a page; a finished one has a tick. */
export type PageStep = { title: Text; isDone: boolean; content: Html }

export function pageSteps({ t }: Exchange, steps: readonly PageStep[]): Html {
  const items = steps.map(
    ({ title, isDone, content }) => html`<li${isDone ? html` class="done"` : ''}>
<h2>${title}${isDone ? html` <span class="tick">${t.done}</span>` : ''}</h2>
${content}</li>
`,
  )
  return html`<ol class="steps">
${joined(items)}</ol>
`
}

/** A value with a button that copies it. Without scripts there is no button. */
export function copyValue({ t }: Exchange, { id, field, value }: { id: string; field: Text; value: string }): Html {
  return html`<span class="copied"><span id="${id}"><code dir="ltr">${value}</code></span> <button class="action second" type="button" data-copies="${id}" data-copied="${t.copied}" data-selected="${t.selected}" aria-label="${withoutMarks(t.copyOf(field))}" hidden>${t.copy}</button><span class="quiet small" id="${id}-copied" role="status"></span></span>`
}

function withoutMarks(text: Html): string {
  return text.text.replaceAll(/<[^>]*>/g, '')
}

/** Our values by the names that the guides use. */
export type Values = Readonly<Record<string, string | undefined>>

type Steps = { guide: Guide; values: Values; instead?: Readonly<Record<string, Text>> }

/** The numbered steps at a provider, in its own words. `instead`: what stands in place of a value that cannot be shown again. */
export function guideSteps(exchange: Exchange, { guide, values, instead = {} }: Steps): Html {
  const { t } = exchange
  const lead =
    guide.product !== undefined && guide.console !== undefined
      ? html`<p><a href="${guide.console}" target="_blank" rel="noopener noreferrer">${t.opensThere(guide.product)}</a></p>\n`
      : ''
  const items = guide.steps.map(({ says, rows }, number) => {
    const lines = rows.map((row, i) => rowOf(exchange, row, { id: `value-${number}-${i}`, values, instead }))
    const table =
      rows.length === 0
        ? ''
        : html`\n<table class="claims values">
<thead><tr><th scope="col">${t.field}</th><th scope="col">${t.value}</th></tr></thead>
<tbody>
${joined(lines)}</tbody>
</table>`
    return html`<li>${marked(says)}${table}</li>\n`
  })
  return html`${lead}<ol class="guide">
${joined(items)}</ol>
`
}

type InRow = Pick<Steps, 'values'> & { id: string; instead: Readonly<Record<string, Text>> }

function rowOf(exchange: Exchange, row: GuideRow, { id, values, instead }: InRow): Html {
  const { copies = '', option, words = '', note } = row
  const value = values[copies]
  const what =
    value !== undefined
      ? copyValue(exchange, { id, field: row.field, value })
      : instead[copies] !== undefined
        ? html`${instead[copies]}`
        : option !== undefined
          ? html`<bdi dir="ltr">${option}</bdi>`
          : marked(words)
  const beside = note === undefined ? '' : html`<br><span class="quiet">${marked(note)}</span>`
  return html`<tr><th scope="row"><bdi dir="ltr">${row.field}</bdi></th><td>${what}${beside}</td></tr>\n`
}

/** `**names of the provider**` and values in backquotes. */
export function marked(text: string): Html {
  return joined(
    text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
      if (part.startsWith('**')) return html`<strong><bdi>${part.slice(2, -2)}</bdi></strong>`
      if (part.startsWith('`')) return html`<code dir="ltr">${part.slice(1, -1)}</code>`
      return html`${part}`
    }),
  )
}

export function bookOf({ frame }: Exchange): GuideBook {
  return guideBook(frame.t.page.language as Language)
}

type Posting = { action: string; text: Text; fields?: Readonly<Record<string, string>>; isFirst?: boolean; hint?: Text }

/** A form that is only a button. */
export function button({ action, text, fields = {}, isFirst = false, hint }: Posting): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
  )
  return html`<form class="beside" method="post" action="${action}">
${joined(hidden)}${hint && html`<p class="quiet small">${hint}</p>\n`}<button class="action${isFirst ? '' : ' second'}" type="submit">${text}</button>
</form>
`
}

export type SetupField = {
  name: string
  label: Text
  value?: string
  type?: 'text' | 'password' | 'textarea' | 'checkbox'
  hint?: Text | undefined
  fault?: Text | undefined
  isRequired?: boolean
}

export function field({ name, label, value = '', type = 'text', hint, fault, isRequired = false }: SetupField): Html {
  const described = describedBy(`${name}-fault`, fault, hint === undefined ? undefined : `${name}-hint`)
  const required = isRequired ? html` required` : ''
  if (type === 'checkbox') {
    const checked = value === 'true' ? html` checked` : ''
    return html`<label class="check"><input type="checkbox" id="${name}" name="${name}" value="true"${checked}${required}${described}>
<span>${label}</span></label>
${faultAt(`${name}-fault`, fault)}${hint && html`<p class="quiet small" id="${name}-hint">${hint}</p>\n`}`
  }
  const control =
    type === 'textarea'
      ? html`<textarea id="${name}" name="${name}" rows="4" dir="ltr" spellcheck="false"${described}>\n${value}</textarea>`
      : html`<input id="${name}" name="${name}" type="${type}" dir="ltr" value="${value}" autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"${required}${described}>`
  return html`<div class="field">
<label for="${name}">${label}</label>
<div class="control">${control}</div>
${faultAt(`${name}-fault`, fault)}${hint && html`<p id="${name}-hint">${hint}</p>\n`}</div>
`
}

type Started = readonly { connection_id: string }[]

/** The newest connection that the page lists: its form creates no other one twice, however often it is sent. */
export function latestField(found: Started): Html {
  return html`<input type="hidden" name="latest" value="${latestOf(found)}">\n`
}

/** Whether a form comes from a page that does not list the newest connection: it was sent again, or someone else was faster. */
export function isOutdated({ request }: Exchange, found: Started): boolean {
  return (formOf(request).latest ?? '') !== latestOf(found)
}

export function outdatedFault({ t }: Exchange): Message {
  return { title: t.notDone, detail: t.outdated }
}

/** Ids are in the order of their creation. */
function latestOf(found: Started): string {
  return found.reduce((latest, { connection_id }) => (connection_id > latest ? connection_id : latest), '')
}
