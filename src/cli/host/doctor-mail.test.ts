import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { runCommand } from '../../../test/command-process.ts'
import { makeDirectory } from '../../../test/durability/process.ts'
import { type Behaviour, startMailServer } from '../../../test/mails/mail-server.ts'
import { startNameServer } from '../../../test/name-server.ts'
import { loadConfig } from '../../core/config.ts'
import type { Finding } from '../../operations/doctor/finding.ts'
import { checkMail } from '../../operations/doctor/mail.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
const ours = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')

/** A name server on loopback: texts by name; a name with undefined fails, and others do not exist. */
async function startNames(t: TestContext, texts: Record<string, string[] | undefined>): Promise<string> {
  const { address } = await startNameServer(t, ({ name }) => {
    const found = texts[name]
    return found === undefined ? { code: name in texts ? 2 : 3 } : { texts: found }
  })
  return address
}

const good = {
  'mail.orchard.example': ['v=spf1 include:_spf.relay.example -all', 'something else'],
  'rollbook._domainkey.mail.orchard.example': [`v=DKIM1; k=ed25519; p=${ours}`],
  '_dmarc.orchard.example': ['v=DMARC1; p=reject'],
}

const envWith = (url: string, more: Record<string, string> = {}) => ({
  ROLLBOOK_SMTP_URL: url,
  ROLLBOOK_MAIL_FROM: 'Orchard <no-reply@mail.orchard.example>',
  ROLLBOOK_PUBLIC_URL: 'https://orchard.example/auth',
  ROLLBOOK_MAIL_DKIM_KEY: pem,
  ROLLBOOK_MAIL_DKIM_SELECTOR: 'rollbook',
  ...more,
})

const look = (env: Record<string, string>, nameServer: string, timeoutMs = 1000) =>
  checkMail(loadConfig(env), { timeoutMs, nameServers: [nameServer] })

const statuses = (findings: Finding[]) => findings.map(({ check, status }) => `${check}: ${status}`)

function found(findings: Finding[], check: string): Finding {
  const one = findings.find((finding) => finding.check === check)
  assert.ok(one, `no finding ${check} in ${statuses(findings)}`)
  if (one.status !== 'ok') assert.ok(one.advice, `${check} has advice`)
  return one
}

describe('rollbook doctor of email', () => {
  it('finds nothing wrong with a server that accepts the sender and a domain that publishes all, and sends nothing', async (t) => {
    const server = await startMailServer(t, { user: 'rollbook', password: 'let me in' })
    const nameServer = await startNames(t, good)
    const env = envWith(server.url)
    const directory = makeDirectory(t)
    const args = ['doctor', '--only', 'mail', '--json', '--name-server', nameServer]
    const { code, out, err } = await runCommand(args, { ROLLBOOK_DATA_DIR: directory, ...env })
    assert.equal(code, 0, err)
    const { findings } = JSON.parse(out) as { findings: Finding[] }
    assert.deepEqual(statuses(findings), [
      'mail server: ok',
      'TLS: ok',
      'sign-in: ok',
      'sender: ok',
      'SPF: ok',
      'DKIM: ok',
      'DMARC: ok',
      'templates: ok',
    ])
    assert.deepEqual([server.transfers(), server.signIns()], [0, 1])
    assert.ok(!out.includes('let me in'))
    const { findings: none } = JSON.parse((await runCommand(args, { ROLLBOOK_DATA_DIR: directory })).out) as {
      findings: Finding[]
    }
    assert.deepEqual(statuses(none), ['mail server: skipped'])
    assert.match(found(none, 'mail server').advice ?? '', /ROLLBOOK_SMTP_URL/)
  })

  it('says at which step a mail server refuses, and what to do', async (t) => {
    const nameServer = await startNames(t, good)
    const server = await startMailServer(t, { user: 'rollbook', password: 'let me in' })
    const wrong = await look(envWith(server.url.replace(/:[^:@/]+@/, ':wrong@')), nameServer)
    assert.equal(found(wrong, 'sign-in').status, 'failed')
    assert.ok(wrong.every(({ check }) => check !== 'codes by email'))
    const codes = { ROLLBOOK_EMAIL_CODE: 'on' }
    const wrongWithCodes = await look(envWith(server.url.replace(/:[^:@/]+@/, ':wrong@'), codes), nameServer)
    assert.equal(found(wrongWithCodes, 'codes by email').status, 'failed')
    assert.match(found(wrong, 'sign-in').found, /535/)
    assert.equal(
      wrong.find(({ check }) => check === 'sender'),
      undefined,
    )
    const without = await look(envWith(server.url.replace(/\/\/.*@/, '//')), nameServer)
    assert.equal(found(without, 'sign-in').status, 'warning')
    assert.equal(found(without, 'sender').status, 'failed')

    const cases: [Behaviour, string, RegExp][] = [
      [(stage) => (stage === 'connect' ? { code: 554, text: 'not you' } : undefined), 'mail server', /554 .*not you/],
      [(stage) => (stage === 'connect' ? 'stall' : undefined), 'mail server', /no response within 1 s/],
      [(stage) => (stage === 'connect' ? 'drop' : undefined), 'mail server', /closed the connection|ECONNRESET/],
    ]
    for (const [behaviour, check, expected] of cases) {
      const odd = await startMailServer(t)
      odd.behave(behaviour)
      const one = found(await look(envWith(odd.url), nameServer), check)
      assert.equal(one.status, 'failed')
      assert.match(one.found, expected)
    }
    const deleted = await startMailServer(t)
    await deleted.stop()
    assert.match(found(await look(envWith(deleted.url), nameServer), 'mail server').found, /ECONNREFUSED/)
  })

  it('finds TLS that is missing or cannot be trusted, and gives such a server no password', async (t) => {
    const nameServer = await startNames(t, good)
    for (const tls of ['implicit', 'starttls'] as const) {
      const server = await startMailServer(t, { user: 'rollbook', password: 'let me in', tls })
      const [scheme, query] = tls === 'implicit' ? ['smtps', ''] : ['smtp', '?starttls=required']
      const url = `${scheme}://rollbook:let%20me%20in@127.0.0.1:${new URL(server.url).port}${query}`
      const one = found(await look(envWith(url), nameServer), 'TLS')
      assert.equal(one.status, 'failed', tls)
      assert.equal(server.signIns(), 0)
    }
    const plain = await startMailServer(t)
    const one = found(await look(envWith(`${plain.url}?starttls=required`), nameServer), 'TLS')
    assert.match(one.found, /offers no STARTTLS/)
    const trusting = await startMailServer(t, { user: 'rollbook', password: 'let me in', tls: 'starttls' })
    const url = `smtp://rollbook:let%20me%20in@127.0.0.1:${new URL(trusting.url).port}?starttls=optional`
    const findings = await look(envWith(url), nameServer)
    assert.deepEqual(statuses(findings).slice(0, 4), ['mail server: ok', 'TLS: ok', 'sign-in: ok', 'sender: ok'])
  })

  it('says which record is missing or wrong, with the one to publish', async (t) => {
    const server = await startMailServer(t)
    const cases: [Record<string, string[] | undefined>, string, Finding['status'], RegExp][] = [
      [{ 'mail.orchard.example': [] }, 'SPF', 'warning', /no SPF record/],
      [{ 'mail.orchard.example': ['v=spf1 -all', 'v=spf1 mx -all'] }, 'SPF', 'failed', /2 SPF records/],
      [{ 'mail.orchard.example': ['v=spf1 +all'] }, 'SPF', 'warning', /allows every server/],
      [{ 'mail.orchard.example': undefined }, 'SPF', 'skipped', /no name server responds/],
      [{ 'rollbook._domainkey.mail.orchard.example': [] }, 'DKIM', 'failed', /no record/],
      [{ 'rollbook._domainkey.mail.orchard.example': ['v=DKIM1; p=AAAA'] }, 'DKIM', 'failed', /another key/],
      [{ 'rollbook._domainkey.mail.orchard.example': ['v=DKIM1; p='] }, 'DKIM', 'failed', /revokes/],
      [{ '_dmarc.orchard.example': [] }, 'DMARC', 'warning', /no DMARC record/],
      [{ '_dmarc.mail.orchard.example': ['v=DMARC1; rua=mailto:x@example.com'] }, 'DMARC', 'failed', /no valid policy/],
    ]
    for (const [changed, check, status, expected] of cases) {
      const one = found(await look(envWith(server.url), await startNames(t, { ...good, ...changed })), check)
      assert.equal(one.status, status, one.found)
      assert.match(one.found, expected)
      if (check === 'DKIM') assert.ok(one.advice?.includes(`p=${ours}`))
    }
    const { ROLLBOOK_MAIL_DKIM_KEY: _, ROLLBOOK_MAIL_DKIM_SELECTOR: __, ...env } = envWith(server.url)
    assert.equal(found(await look(env, await startNames(t, good)), 'DKIM').status, 'skipped')
  })
})
