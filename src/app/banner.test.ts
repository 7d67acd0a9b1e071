import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadConfig } from '../core/config.ts'
import { banner } from './serve.ts'

const url = 'http://127.0.0.1:8080/auth'
const setupLink = `${url}/console/setup#token=secret`
const command = './rollbook'
const config = loadConfig({ ROLLBOOK_DATA_DIR: '/nowhere' })
const running = { url, adminKey: { file: '/nowhere/admin-key', key: 'rb_secret' } }

describe('what a start says', () => {
  it('shows where to look, and the link that creates the first administrator', () => {
    const text = banner(running, config, { isTerminal: true, lacksAdministrator: true, setupLink, command })
    assert.match(text, /^ {2}Console {5}http:\/\/127\.0\.0\.1:8080\/auth\/console\/$/m)
    assert.ok(text.includes(`\n  ${setupLink}\n`))
    assert.ok(!text.includes('rollbook admin link'))
  })

  it('contains no secret if it may be stored, but the command that creates one', () => {
    const text = banner(running, config, { isTerminal: false, lacksAdministrator: true, setupLink, command })
    assert.ok(!text.includes('secret'), text)
    assert.match(text, /^ {2}\.\/rollbook admin link$/m)
  })

  it('has no link when there is an administrator, and shows the public address', () => {
    const behind = { ...config, publicUrl: 'https://orchard.example/auth' }
    const text = banner(running, behind, { isTerminal: true, lacksAdministrator: false, command })
    assert.ok(!text.includes('administrator,') && !text.includes('admin link'), text)
    assert.match(text, /^ {2}Console {5}https:\/\/orchard\.example\/auth\/console\/$/m)
  })
})
