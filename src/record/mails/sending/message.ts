/** Builds the message of a row in the recipient's language, with the link, which is created only now. */
import type { Config } from '../../../core/config.ts'
import { linkPaths, type MailData } from '../kinds.ts'
import type { MailRow } from '../store.ts'
import { type Rendered, render, type Values } from '../templates/render.ts'
import type { Templates } from '../templates/templates.ts'

export type MessageParts = {
  templates: Templates
  config: Pick<Config, 'productName' | 'publicUrl'>
}

type Source = Pick<MailRow, 'kind' | 'locale' | 'data' | 'expires_at'>

export function messageOf(row: Source, token: string | undefined, { templates, config }: MessageParts): Rendered {
  const { template, locale } = templates.find(row.kind, row.locale)
  const data = JSON.parse(row.data) as MailData
  const values: Values = {
    ...data,
    product: config.productName,
    ...(data.time !== undefined && { time: moment(data.time, locale) }),
    ...(row.expires_at !== null && { expires: moment(row.expires_at, locale) }),
    ...(token !== undefined && { link: `${config.publicUrl}${linkPaths[row.kind]}/${token}` }),
  }
  return render(template, values, locale)
}

/** Creating one takes longer than the rest of a message. */
const forms = new Map<string, Intl.DateTimeFormat>()

/** In UTC, with its name: the reader's time zone is unknown. */
function moment(instant: string, locale: string): string {
  const form =
    forms.get(locale) ?? new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  forms.set(locale, form)
  return `${form.format(new Date(instant))} (UTC)`
}
