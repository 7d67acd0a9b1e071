/** Each message in each language, as it goes over the wire, read by a parser that did not write it: belongs to test:rest, like every look. */
import assert from 'node:assert/strict'
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import { plainBrand } from '../../src/core/brand.ts'
import {
  accountUrl,
  kinds,
  linkPaths,
  type MailKind,
  mailKinds,
  requestsUrl,
  reviewsUrl,
} from '../../src/record/mails/kinds.ts'
import { messageOf } from '../../src/record/mails/sending/message.ts'
import { createSmtpSender, type MailSenderConfig } from '../../src/record/mails/sending/smtp.ts'
import { builtInLocales, loadTemplates } from '../../src/record/mails/templates/templates.ts'
import { type MailServer, type Received, startMailServer } from './mail-server.ts'

const mailFrom = { name: 'Grüße von Orchard', address: 'no-reply@orchard.example' }
const mail_id = '01a20da7-87ea-7753-937d-9eb2a9e0d006'
const created_at = '2026-11-24T12:00:00.000Z'
const token = 'AbC-_'.repeat(9).slice(0, 43)
const base = 'https://orchard.example/auth'
const templates = loadTemplates(undefined, 'en')
/** What users put into their names to break a header, a line, or the page. */
const hostile = [
  'Ada\r\nBcc: eve@example.com',
  '<img src=https://evil.example/x.png onerror=alert(1)>',
  'أدا 𝕷𝖔𝖛𝖊𝖑𝖆𝖈𝖊 👩‍💻'.repeat(30),
  '\u202emoc.live//:sptth',
  '.\r\n.\r\nQUIT',
  'a'.repeat(1200),
  '{{link}} =?utf-8?q?x?= %0d%0aBcc: eve@example.com',
]

function contentOf(kind: MailKind, locale: string, name: string, brand = plainBrand('Orchard')) {
  const data = { name, username: name, email: name, device: name, address: name, key: name, time: created_at }
  const notices = (['new_sign_in', 'key_created'] as const).map((one) => ({ kind: one, data, count: 2 }))
  const row = { kind, locale, data: JSON.stringify({ ...data, notices }), expires_at: created_at }
  const hasLink = linkPaths[kind] !== undefined
  return messageOf(row, hasLink ? token : undefined, {
    templates,
    config: { publicUrl: base, mailTimeZone: 'Europe/Berlin' },
    brand,
  })
}

async function send(
  server: MailServer,
  content: ReturnType<typeof contentOf>,
  more: Partial<MailSenderConfig> = {},
): Promise<Received> {
  const { hostname, port } = new URL(server.url)
  const smtpUrl = { host: hostname, port: Number(port), isSecure: false, starttls: 'never' as const }
  const sender = createSmtpSender({
    smtpUrl: { ...smtpUrl, user: undefined, password: undefined } as NonNullable<MailSenderConfig['smtpUrl']>,
    mailFrom,
    mailDkimKey: undefined,
    mailDkimSelector: undefined,
    ...more,
  })
  const result = await sender.send({ ...content, mail_id, address: 'ada@example.com', created_at })
  sender.close()
  assert.equal(result?.kind, 'sent', JSON.stringify(result))
  return server.received.at(-1) as Received
}

/** What RFC 5322 and RFC 2045 ask of the bytes. */
function assertWellFormed(source: string): void {
  assert.doesNotMatch(source, /[^\r]\n|\r[^\n]/, 'a line that does not end with CRLF')
  assert.doesNotMatch(source, /[^\t\r\n\x20-\x7e]/, 'something that is not ASCII')
  assert.ok(source.split('\r\n').every((line) => line.length <= 998))
  const head = source.slice(0, source.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]/g, ' ')
  const names = head.split('\r\n').map((line) => /^([\x21-\x39\x3b-\x7e]+):/.exec(line)?.[1]?.toLowerCase())
  const expected = [
    'from',
    'to',
    'subject',
    'message-id',
    'date',
    'auto-submitted',
    'mime-version',
    'content-type',
    'content-language',
  ]
  assert.deepEqual(names.toSorted(), expected.toSorted())
}

/** Where the button of a kind leads: a link is for one user, every notice leads to the account, and some kinds have no button. */
function targetOf(kind: MailKind): RegExp | undefined {
  const values: readonly string[] = kinds[kind]
  if (values.includes('link')) return /^https:\/\/orchard\.example\/auth\/[a-z-]+\/[\w-]{43}$/
  const target = values.includes('account')
    ? accountUrl(base)
    : values.includes('requests')
      ? requestsUrl(base)
      : values.includes('reviews')
        ? reviewsUrl(base)
        : undefined
  return target === undefined ? undefined : new RegExp(`^${target}$`)
}

function assertQuiet(kind: MailKind, { text, html }: { text: string; html: string }): void {
  const target = targetOf(kind)
  assert.doesNotMatch(
    html,
    /<(?:img|link|script|iframe|object|video|audio|source|form|base|svg)\b|<[^>]*\b(?:src|background)=|<[^>]*url\(|@import/i,
  )
  const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href)
  assert.equal(hrefs.length, target === undefined ? 0 : 1, kind)
  for (const href of hrefs) {
    assert.match(href, target as RegExp)
    assert.ok(text.includes(href), text)
  }
}

/** Word, which renders for Outlook, reads what is for `mso`, and knows neither `max-width` nor the padding of a link. */
function assertForOutlook(html: string, hasButton: boolean): void {
  const seen = html
    .replaceAll(/<!--\[if !mso\]><!-->[\s\S]*?<!--<!\[endif\]-->/g, '')
    .replaceAll(/<!--\[if mso\]>|<!\[endif\]-->/g, '')
  assert.match(seen, /<table role="presentation" align="center" width="560"[^>]*><tr><td style="padding:0/)
  assert.equal(seen.match(/<table/g)?.length, seen.match(/<\/table>/g)?.length)
  assert.equal(seen.match(/<td/g)?.length, seen.match(/<\/td>/g)?.length)
  for (const [cell] of seen.matchAll(/<td[^>]*>/g)) assert.match(cell, /padding:/)
  if (hasButton) assert.match(seen, /<td bgcolor="#1f5fbf" style="[^"]*padding:13px 24px"><a href/)
}

describe('a message on the wire', () => {
  it('has a PNG logo inside, which it shows by its id, and no other picture', async (t) => {
    const server = await startMailServer(t)
    const content = Buffer.from('not looked at')
    const logo = { name: 'logo.png', type: 'image/png', hash: 'abc', content, width: 80, height: 20 }
    const logoDark = { ...logo, name: 'logo-dark.png', hash: 'def' }
    const branded = { ...plainBrand('Orchard'), tag: '1', logo, logoDark }
    const { source, mail } = await send(server, contentOf('invitation', 'en', 'Ada', branded))
    assertWellFormed(source)
    const sources = [...String(mail.html).matchAll(/<img src="([^"]*)"/g)].map(([, src = '']) => src.slice(0, 15))
    assert.deepEqual(sources, ['data:image/png;', 'data:image/png;'], 'the parser puts in what the ids refer to')
    assert.match(source, /Content-Disposition: inline; filename=logo\.png/)
    assert.doesNotMatch(source, /src=3D"https?:/)
    const svg = { ...branded, logo: { ...logo, type: 'image/svg+xml' }, logoDark: undefined }
    assert.deepEqual(contentOf('invitation', 'en', 'Ada', svg).images, [])
  })

  for (const locale of builtInLocales) {
    it(`is valid MIME with both parts and nothing that is loaded, for each kind in ${locale}`, async (t) => {
      const server = await startMailServer(t)
      for (const kind of mailKinds) {
        const content = contentOf(kind, locale, 'Ada Lovelace')
        const { source, mail } = await send(server, content)
        assertWellFormed(source)
        const hasLink = content.text.includes(token)
        assert.equal(hasLink, linkPaths[kind] !== undefined)
        assertQuiet(kind, content)
        assertForOutlook(content.html, targetOf(kind) !== undefined)
        assert.deepEqual([mail.subject, mail.text, mail.html], [content.subject, content.text, content.html], kind)
        assert.equal(mail.messageId, `<${mail_id}@orchard.example>`)
        assert.equal(mail.date?.toISOString(), created_at)
        assert.deepEqual(mail.from?.value, [mailFrom])
        assert.equal(mail.headers.get('auto-submitted'), 'auto-generated')
        assert.equal(mail.headers.get('content-language'), locale)
        assert.deepEqual(mail.attachments, [])
        assert.match(source, /^Content-Type: multipart\/alternative;/m)
        const parts = [...source.matchAll(/^Content-Type: (text\/\w+); charset=utf-8/gm)].map(([, type]) => type)
        assert.deepEqual(parts, ['text/plain', 'text/html'], 'the preferred part last')
        assert.equal(source.match(/^Content-Transfer-Encoding: (?:7bit|quoted-printable|base64)\r$/gm)?.length, 2)
      }
    })
  }

  it('keeps its headers and its page whatever users have as their names', async (t) => {
    const server = await startMailServer(t)
    for (const name of hostile) {
      for (const kind of mailKinds) {
        const content = contentOf(kind, 'ar', name)
        const { source, mail, to } = await send(server, content)
        assertWellFormed(source)
        assertQuiet(kind, content)
        assert.deepEqual([mail.subject, mail.text, mail.html], [content.subject, content.text, content.html])
        assert.deepEqual(to, ['ada@example.com'])
        assert.equal(mail.bcc, undefined)
      }
    }
  })

  it('is signed with DKIM so that the published key verifies it', async (t) => {
    const server = await startMailServer(t)
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const mailDkimKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const { source } = await send(server, contentOf('invitation', 'de', 'Ada'), { mailDkimKey, mailDkimSelector: 'rb' })
    const published = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    assert.equal(verifiesDkim(source, published), true)
    assert.equal(verifiesDkim(source.replace(/^Subject: /m, 'Subject: Re: '), published), false)
    assert.equal(verifiesDkim(`${source}more\r\n`, published), false)
  })
})

/** Verifies a relaxed/relaxed RSA signature, as RFC 6376 §3.4.2, §3.4.4 and §3.7 say. */
function verifiesDkim(source: string, publicKey: string): boolean {
  const end = source.indexOf('\r\n\r\n')
  const headers = source.slice(0, end).split(/\r\n(?![ \t])/)
  const relaxed = (header: string) => {
    const colon = header.indexOf(':')
    const value = header
      .slice(colon + 1)
      .replaceAll('\r\n', '')
      .replaceAll(/[ \t]+/g, ' ')
      .trim()
    return `${header.slice(0, colon).toLowerCase().trim()}:${value}`
  }
  const signature = headers.find((header) => /^dkim-signature:/i.test(header)) ?? ''
  const tags = new Map(
    relaxed(signature)
      .slice('dkim-signature:'.length)
      .split(';')
      .map((tag) => [tag.slice(0, tag.indexOf('=')).trim(), tag.slice(tag.indexOf('=') + 1).replaceAll(' ', '')]),
  )
  assert.deepEqual([tags.get('a'), tags.get('c'), tags.get('s')], ['rsa-sha256', 'relaxed/relaxed', 'rb'])
  assert.equal(tags.get('d'), 'orchard.example')
  const body = `${source
    .slice(end + 4)
    .split('\r\n')
    .map((line) => line.replaceAll(/[ \t]+/g, ' ').trimEnd())
    .join('\r\n')
    .replace(/(?:\r\n)*$/, '')}\r\n`
  if (createHash('sha256').update(body).digest('base64') !== tags.get('bh')) return false
  const names = (tags.get('h') ?? '').toLowerCase().split(':')
  assert.ok(['from', 'to', 'subject', 'date', 'message-id'].every((name) => names.includes(name)))
  const signed = names.flatMap((name) => {
    const found = headers.findLast((header) => header.toLowerCase().startsWith(`${name}:`))
    return found === undefined ? [] : [relaxed(found)]
  })
  const unsigned = relaxed(signature).replace(/([; ]b=)[^;]*/, '$1')
  const data = Buffer.from([...signed, unsigned].join('\r\n'))
  return verify('sha256', data, createPublicKey(publicKey), Buffer.from(tags.get('b') ?? '', 'base64'))
}
