/** Builds the message of a row in the recipient's language, with the link, which is created only now. */

import type { Brand } from '../../../core/brand.ts'
import type { Config } from '../../../core/config.ts'
import {
  accountUrl,
  type GatheredData,
  linkPaths,
  type MailData,
  type MailKind,
  requestsUrl,
  reviewsUrl,
} from '../kinds.ts'
import type { MailRow } from '../store.ts'
import { type Rendered, render, summaryOf, type Values } from '../templates/render.ts'
import type { Templates } from '../templates/templates.ts'

export type MessageParts = {
  templates: Templates
  config: Pick<Config, 'publicUrl' | 'mailTimeZone'>
  brand: Brand
}

type Source = Pick<MailRow, 'kind' | 'locale' | 'data' | 'expires_at'>

/** @param token that of the link, or the code */
export function messageOf(row: Source, token: string | undefined, parts: MessageParts): Rendered {
  const { brand, config } = parts
  const { template, locale } = parts.templates.find(row.kind, row.locale)
  const { notices = [], ...data } = JSON.parse(row.data) as Partial<GatheredData>
  const values: Values = {
    ...valuesOf(data, locale, parts),
    account: accountUrl(config.publicUrl ?? ''),
    requests: requestsUrl(config.publicUrl ?? ''),
    reviews: reviewsUrl(config.publicUrl ?? ''),
    ...(row.expires_at !== null && { expires: moment(row.expires_at, locale, config.mailTimeZone) }),
    ...(row.kind === 'sign_in_code' && { site: new URL(config.publicUrl ?? '').host }),
    ...(token !== undefined && secretOf(row.kind, token, config)),
  }
  const gathered = notices.map((one) => ({ count: one.count, ...noticeOf(one, data, row.locale, parts) }))
  return render(template, values, { locale, brand, notices: gathered })
}

function secretOf(kind: MailKind, token: string, { publicUrl }: MessageParts['config']): Values {
  const path = linkPaths[kind]
  return path === undefined ? { code: token } : { link: `${publicUrl}${path}/${token}` }
}

/** What one of several notices says, in a sentence. */
function noticeOf(
  { kind, data }: { kind: MailKind; data: MailData },
  common: MailData,
  wanted: string | null,
  parts: MessageParts,
) {
  const { template, locale } = parts.templates.find(kind, wanted)
  return { text: summaryOf(template), values: valuesOf({ ...common, ...data }, locale, parts) }
}

function valuesOf(data: MailData, locale: string, { brand, config }: MessageParts): Values {
  const { time } = data
  return {
    ...data,
    product: brand.name,
    ...(time !== undefined && { time: moment(time, locale, config.mailTimeZone) }),
  }
}

/** Creating one takes longer than the rest of a message. */
const forms = new Map<string, Intl.DateTimeFormat>()

/** In the time zone of the installation, with its name: the reader's is unknown. */
function moment(instant: string, locale: string, timeZone: string): string {
  const key = `${locale} ${timeZone}`
  const form =
    forms.get(key) ??
    new Intl.DateTimeFormat(locale, {
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZone,
      timeZoneName: 'short',
    })
  forms.set(key, form)
  return form.format(new Date(instant))
}
