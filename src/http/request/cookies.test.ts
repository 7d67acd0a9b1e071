import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { sessionCookies } from './cookies.ts'

const read = (cookie: string) => sessionCookies({ publicUrl: undefined }).read({ headers: { cookie } })

describe('the session cookie', () => {
  it('is bound to its host and to TLS if the public URL is https', () => {
    const cookies = sessionCookies({ publicUrl: 'https://app.example.com/auth' })
    assert.equal(cookies.set('token', 60), '__Host-rollbook=token; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure')
    assert.equal(cookies.clear(), '__Host-rollbook=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure')
    assert.equal(cookies.device.name, '__Host-rollbook-device')
    assert.equal(cookies.read({ headers: { cookie: 'rollbook=planted-by-a-sibling-domain' } }), undefined)
  })

  it('is set without TLS otherwise', () => {
    const cookies = sessionCookies({ publicUrl: 'http://127.0.0.1:8080/auth' })
    assert.equal(cookies.set('token', 60), 'rollbook=token; Max-Age=60; Path=/; HttpOnly; SameSite=Lax')
  })

  it('is found among others, by its whole name', () => {
    assert.equal(read('a=1; rollbook=token; b=2'), 'token')
    assert.equal(read('rollbook=to=ken'), 'to=ken')
    for (const none of [
      '',
      'a=1',
      'xrollbook=token',
      'rollbook-device=token',
      'a=rollbook',
      'rollbook=',
      'ROLLBOOK=x',
    ]) {
      assert.equal(read(none), undefined, none)
    }
  })

  it('is refused if it was sent twice: one of them may be planted', () => {
    assert.throws(() => read('rollbook=mine; rollbook=planted'), { code: 'ambiguous_credentials' })
  })
})

describe('the list of our cookies', () => {
  const { names, ...cookies } = sessionCookies({ publicUrl: 'https://app.example.com/auth' })
  const suffixes = names.map((name) => name.replace('__Host-rollbook', '')).filter((suffix) => suffix !== '')
  const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

  it('has every cookie that the code knows', () => {
    const known = Object.values(cookies).flatMap((one) => (typeof one === 'object' ? [one.name] : []))
    assert.deepEqual([...names].sort(), [...known, cookies.name].sort())
    const sources = readdirSync(new URL('../../', import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .filter((path) => /SameSite=.*`/.test(textOf(`src/${path}`)))
    assert.deepEqual(sources, ['http/request/cookies.ts'], 'another file makes a cookie')
  })

  it('is complete in the files for proxies and in the documentation', () => {
    for (const path of ['deploy/nginx/orchard.conf', 'deploy/caddy/Caddyfile']) {
      const [, listed = ''] = /rollbook\(\?:-\(\?:([\w|]+)\)\)\?/.exec(textOf(path)) ?? []
      assert.deepEqual(listed.split('|').sort(), suffixes.map((suffix) => suffix.slice(1)).sort(), path)
    }
    const page = textOf('docs/sessions.md')
    for (const suffix of ['', ...suffixes]) assert.ok(page.includes(`| \`rollbook${suffix}\` `), `rollbook${suffix}`)
  })

  it('is removed by the pattern of Caddy, whatever stands around it', () => {
    const [, pattern = ''] = /request_header Cookie "([^"]+)"/.exec(textOf('deploy/caddy/Caddyfile')) ?? []
    for (const name of names.flatMap((one) => [one, one.replace('__Host-', '')])) {
      const sent = `a=1; ${name}=secret;\t${name} = secret; b=2; x${name}=kept; ${name}=secret`
      const passed = sent.replaceAll(new RegExp(pattern, 'g'), '$1')
      assert.equal(passed.replaceAll(/\s/g, ''), `a=1;b=2;x${name}=kept;`, name)
    }
  })
})
