/** Each message with invented values, to look at. */
import type { Brand } from '../../core/brand.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import type { MailKind } from './kinds.ts'
import { type MessageParts, messageOf } from './sending/message.ts'
import { type Rendered, withImagesInside } from './templates/render.ts'

export type PreviewNeeds = Pick<HttpLayer, 'config' | 'links'> & Pick<MessageParts, 'templates'>

const sampleCode = '123456'
/** An invalid token with the length of a real one. */
const sampleToken = 'example'.repeat(7).slice(0, 43)

type Wanted = { kind: MailKind; locale: string | undefined; brand: Brand; now: number }

export function sampleMessage(
  { config, links, templates }: PreviewNeeds,
  { kind, locale = config.mailLocale, brand, now }: Wanted,
): Omit<Rendered, 'images'> {
  const data = { name: 'Ada Lovelace', username: 'ada.lovelace', email: 'ada@example.com' }
  const more = {
    time: new Date(now).toISOString(),
    device: 'Firefox on Linux',
    address: '192.0.2.1',
    key: 'backup',
    factor: 'Phone',
    remaining: '9',
    group: 'Support',
    connection: 'Example Inc.',
    administrator: 'grace.hopper',
    reason: 'Ticket 4711',
    review: 'Q4 2026',
    organization: 'Acme',
    users: 'grace.hopper: 2026-12-31 23:59 UTC',
  }
  const notices = (['new_sign_in', 'key_created'] as const).map((one, i) => ({ kind: one, data: more, count: i + 1 }))
  const expires_at = new Date(now + 3_600_000).toISOString()
  const row = { kind, locale, data: JSON.stringify({ ...data, ...more, notices }), expires_at }
  const parts = { templates, brand, config: { ...config, publicUrl: config.publicUrl ?? links.issuer() } }
  const { images, ...message } = messageOf(row, kind === 'sign_in_code' ? sampleCode : sampleToken, parts)
  return { ...message, html: withImagesInside({ html: message.html, images }) }
}
