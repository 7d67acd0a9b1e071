/** With pysaml2 and xmlsec1, which are not ours: they read our metadata and requests, and sign and encrypt what we read. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { findFiles, findOrUnpack } from '../../../../test/debian.ts'
import { anyEngine, start } from '../../../../test/harness.ts'
import { encode, signingKey } from '../../../../test/saml-provider.ts'

const python = '/usr/bin/python3'
const libraries = existsSync(python) ? await findFiles('pysaml2', ['python3-pysaml2']) : undefined
const xmlsec = await findOrUnpack({ name: 'xmlsec1', variable: 'ROLLBOOK_TEST_XMLSEC1' })
const skip = (libraries === undefined || xmlsec === undefined) && 'there is no pysaml2 or no xmlsec1'
const gcm = 'http://www.w3.org/2009/xmlenc11#aes256-gcm'
const key = signingKey()
const issuer = 'https://idp.example.com/id'

type Answered = { metadata: string; force_authn: string | null; is_signature_valid: boolean; response: string }

function query(question: object): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
  const env = { ...process.env, PYTHONPATH: `${libraries}/usr/lib/python3/dist-packages`, PYTHONDONTWRITEBYTECODE: '1' }
  const script = join(import.meta.dirname, '../../../../test/pysaml2/idp.py')
  const child = execFile(python, [script], { env, maxBuffer: 1 << 20 }, (error, stdout) => {
    if (error) reject(error)
    else resolve(JSON.parse(stdout))
  })
  child.stdin?.end(JSON.stringify(question))
  return promise
}

function keyFiles(t: TestContext): { key_file: string; cert_file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-saml-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const files = { key_file: join(folder, 'key.pem'), cert_file: join(folder, 'certificate.pem') }
  writeFileSync(files.key_file, key.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(files.cert_file, key.pem)
  return files
}

describe('pysaml2', { skip }, () => {
  it('signs users in: signed and encrypted in each way, from requests that it verifies', async (t) => {
    const engine = anyEngine
    const env = { ROLLBOOK_RATE_LIMIT: '0', ROLLBOOK_PUBLIC_URL: 'https://app.example.com/auth' }
    const app = await start(t, engine, { env })
    const body = {
      kind: 'saml',
      name: 'Example',
      entity_id: issuer,
      sso_url: 'https://idp.example.com/sso',
      certificates: [key.pem],
      sign_requests: true,
      emails_verified: true,
      provisioning_domains: ['example.com'],
    }
    const { connection_id } = (await app.call('POST', '/connections', { body })).body
    const path = `/connections/${connection_id}`
    const question = {
      entity_id: issuer,
      xmlsec,
      ...keyFiles(t),
      sso_url: 'https://idp.example.com/sso',
      sp_metadata: (await app.call('GET', `${path}/metadata`, { key: null })).text,
      attributes: { mail: ['ada@example.com'], givenName: ['Ada'], sn: ['Lovelace'] },
      name_id: 'ada-at-idp',
      class_ref: 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password',
      cipher: '',
      sign_response: false,
      sign_assertion: false,
      encrypt: false,
    }
    const html = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }
    const signIn = async (more: object) => {
      const begun = await app.call('GET', `/login?connection=${connection_id}`, { key: null, headers: html })
      const request_url = begun.headers.location ?? ''
      const signed = await query({ ...question, ...more, request_url })
      assert.equal(signed.is_signature_valid, true)
      const fields = {
        SAMLResponse: encode(signed.response),
        RelayState: new URL(request_url).searchParams.get('RelayState') ?? '',
      }
      const cookie = [begun.headers['set-cookie'] ?? []]
        .flat()
        .map((one) => one.split(';')[0])
        .join('; ')
      const headers = { ...html, cookie, 'content-type': 'application/x-www-form-urlencoded' }
      const back = await app.call('POST', `${path}/callback`, {
        key: null,
        headers,
        body: new URLSearchParams(fields).toString(),
      })
      return { status: back.status, metadata: signed.metadata }
    }
    const ways = [{ sign_assertion: true }, { sign_response: true, sign_assertion: true, encrypt: true, cipher: gcm }]
    for (const way of ways) assert.equal((await signIn(way)).status, 303, JSON.stringify(way))
    const [user] = (await app.call('GET', '/users')).body.items ?? (await app.call('GET', '/users')).body
    assert.deepEqual([user.username, user.first_name], ['ada@example.com', 'Ada'])
    // Triple DES, its default.
    const { status, metadata } = await signIn({ sign_assertion: true, encrypt: true })
    assert.equal(status, 403)
    const [failure] = (await app.call('GET', `${path}/failures`)).body
    assert.equal(failure.reason, 'encryption_refused')
    const read = await app.call('POST', '/connections', { body: { kind: 'saml', name: 'From its metadata', metadata } })
    assert.deepEqual(
      [read.body.entity_id, read.body.sso_url, read.body.certificate_details?.[0].fingerprint],
      [issuer, 'https://idp.example.com/sso', key.certificate.fingerprint256],
      read.text,
    )
  })
})
