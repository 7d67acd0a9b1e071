import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ownCommand } from './own-command.ts'

describe('the command that the banner prints', () => {
  const installed = {
    home: '/srv/app/node_modules/rollbook',
    cwd: '/srv/app',
    env: { PATH: '/usr/local/bin:/usr/bin' },
  }

  it('runs the launcher of a checkout, wherever the server was started', (t) => {
    const home = mkdtempSync(join(tmpdir(), "rollbook's-"))
    t.after(() => rmSync(home, { recursive: true }))
    writeFileSync(join(home, 'rollbook'), '')
    const call = { home, script: join(home, 'bin/rollbook.js'), env: {} }
    assert.equal(ownCommand({ ...call, cwd: home }), './rollbook')
    assert.equal(
      ownCommand({ ...call, cwd: '/' }),
      `${home.slice(1).replace("'", "'\\''").replace(/^/, "'")}/rollbook'`,
    )
    assert.equal(ownCommand({ ...call, cwd: '/usr' }), `'${home.replace("'", "'\\''")}/rollbook'`)
  })

  it('runs an installed package: with npx, from the path, or by its file', () => {
    assert.equal(ownCommand({ ...installed, script: '/srv/app/node_modules/.bin/rollbook' }), 'npx rollbook')
    assert.equal(ownCommand({ ...installed, script: '/usr/local/bin/rollbook' }), 'rollbook')
    const byFile = { ...installed, script: '/srv/app/node_modules/rollbook/bin/rollbook.js' }
    assert.equal(ownCommand(byFile), 'node node_modules/rollbook/bin/rollbook.js')
    assert.equal(ownCommand({ ...byFile, cwd: '/home/ada' }), 'node /srv/app/node_modules/rollbook/bin/rollbook.js')
  })

  it('repeats the settings for the store and the address, but no secret', () => {
    const env = { ROLLBOOK_DATA_DIR: '/var/lib/roll book', ROLLBOOK_PORT: '9000', ROLLBOOK_ADMIN_KEY: 'secret' }
    assert.equal(
      ownCommand({ ...installed, script: '/srv/app/node_modules/.bin/rollbook', env }),
      "ROLLBOOK_DATA_DIR='/var/lib/roll book' ROLLBOOK_PORT=9000 npx rollbook",
    )
  })
})
