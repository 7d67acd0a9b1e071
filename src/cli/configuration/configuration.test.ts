import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { deflateSync } from 'node:zlib'
import { parse } from 'yaml'
import { executable, runCommand } from '../../../test/command-process.ts'
import { makeDirectory, startService } from '../../../test/durability/process.ts'
import { adminKey } from '../../../test/harness.ts'
import { png } from '../../../test/png.ts'
import { exitCodes } from '../terminal/exit-codes.ts'

const root = join(import.meta.dirname, '../../..')

async function startBeside(t: TestContext) {
  const directory = makeDirectory(t)
  const service = await startService(t, { directory })
  const env = {
    HOME: directory,
    ROLLBOOK_URL: service.url,
    ROLLBOOK_API_KEY: adminKey,
    ACME_SECRET: 'of-acme-in-the-environment',
  }
  const path = (name: string) => join(directory, name)
  const write = (text: string) => writeFileSync(path('rollbook.yaml'), text)
  const run = (...args: string[]) => runCommand(args, env)
  return { service, path, write, run, file: path('rollbook.yaml') }
}

describe('rollbook plan and apply', () => {
  it('create what the file describes, write secrets to their files alone, and rotate the one that nobody has', async (t) => {
    const { service, path, write, run, file } = await startBeside(t)
    write(`version: 1
groups: [{ name: Support }]
connections:
  - { name: Acme, kind: oidc, issuer: https://acme.example, client_id: a, client_secret: { env: ACME_SECRET } }
keys:
  - { name: main-api, permissions: [users:read], write_to: { file: ${path('main-api')} } }
`)
    assert.equal((await run('plan', file)).code, exitCodes.done)
    const plan = await run('plan', file, '--detailed-exitcode')
    assert.equal(plan.code, 2, plan.err)
    assert.match(plan.out, /\+ create groups "Support"\n/)
    assert.match(plan.out, /client_secret: \(secret\)\n/)
    assert.match(plan.out, /Plan: 3 to create, 0 to change, 0 to delete, 0 unchanged\.\n$/)
    assert.match((await run('plan', file, '--output', 'markdown')).out, /\| \+ create \| keys \| `main-api` \|/)
    assert.equal(existsSync(path('main-api')), false, 'a plan opens no file')

    const applied = await run('apply', file, '--yes', '--source', 'abc')
    assert.equal(applied.code, 0, applied.err)
    const key = readFileSync(path('main-api'), 'utf8').trim()
    assert.match(key, /^rb_/)
    assert.equal(statSync(path('main-api')).mode & 0o777, 0o600)
    for (const said of [applied.out, applied.err]) assert.doesNotMatch(said, new RegExp(`${key}|of-acme`))
    assert.equal((await fetch(`${service.url}/users`, { headers: { 'x-api-key': key } })).status, 200)
    assert.match((await run('apply', file, '--yes')).out, /^No changes\. 3 unchanged\.\n$/)
    assert.equal((await run('plan', file, '--detailed-exitcode')).code, 0)

    writeFileSync(path('main-api'), '')
    const rotated = await run('apply', file, '--yes')
    assert.equal(rotated.code, 0, rotated.err)
    const next = readFileSync(path('main-api'), 'utf8').trim()
    assert.notEqual(next, key)
    assert.equal((await fetch(`${service.url}/users`, { headers: { 'x-api-key': next } })).status, 200)

    const exported = await run('config', 'export')
    assert.match(exported.out, /\n {2}- name: Support\n/)
    assert.doesNotMatch(exported.out, /of-acme/)
    assert.equal(JSON.parse((await run('config', 'schema')).out).properties.version.const, 1)

    write('version: 1\ngroups: []\n')
    const refused = await run('apply', file, '--yes')
    assert.deepEqual([refused.code, /--allow-delete/.test(refused.err)], [exitCodes.conflict, true])
    assert.equal((await run('apply', file, '--yes', '--allow-delete', '1')).code, 0)
  })

  it('report every fault with file, line and column, and a plan exits with 1 after any error', async (t) => {
    const { path, write, run, file } = await startBeside(t)
    write('version: 1\ngroups:\n  - { name: A, rol: user }\n  - { name: B, role: usr }\n')
    const faulty = await run('plan', file)
    assert.equal(faulty.code, 1)
    assert.match(
      faulty.err,
      new RegExp(`${file}:3:16: .*Did you mean "role".* \\(/groups/0/rol\\)\n${file}:4:22: .*"user"`),
    )
    write('version: 1\nconnections: [{ name: A, kind: oidc, client_secret: { env: NOT_SET } }]\n')
    assert.match((await run('plan', file)).err, /rollbook\.yaml:2:53: This variable is not set in the environment\./)
    write('version: 1\nconnections: [{ name: A, kind: oidc, client_secret: plain-words }]\n')
    const plain = await run('apply', file, '--yes')
    assert.match(plain.err, /A secret does not belong into the file/)
    assert.doesNotMatch(plain.err, /plain-words/)
    assert.equal((await run('plan', path('missing.yaml'))).code, 1)
    assert.equal((await run('plan')).code, 1)
    assert.equal((await run('plan', file, '--nonsense')).code, 1)
    assert.equal((await run('plan', file, '--url', 'http://127.0.0.1:1/auth')).code, 1)
  })
})

describe('logos in files beside the configuration file', () => {
  it('are read from there, refused with line and column, and exported as files', async (t) => {
    const { service, path, run } = await startBeside(t)
    mkdirSync(path('config'))
    const file = path('config/rollbook.yaml')
    const logo = (content: string | Buffer) => writeFileSync(path('config/logo.svg'), content)
    const write = (value: string) => writeFileSync(file, `version: 1\nbranding:\n  logo: ${value}\n`)
    const svg = '<svg viewBox="0 0 8 8"><script>alert(1)</script><path d="M0 0h8v8z"/></svg>'
    write('{ file: logo.svg }')
    const refused: [content: string | Buffer | undefined, detail: RegExp][] = [
      [undefined, /This file cannot be read \(ENOENT\)/],
      ['', /This file is empty/],
      [' '.repeat(65_537), /This file is larger than 64 KiB/],
      ['<!DOCTYPE svg [<!ENTITY a "b">]><svg viewBox="0 0 8 8">&a;</svg>', /DOCTYPE/],
      [png({ width: 10_000, height: 10_000, pixels: deflateSync(Buffer.alloc(9)) }), /more than 4096 pixels/],
    ]
    for (const [content, detail] of refused) {
      if (content !== undefined) logo(content)
      const { code, err } = await run('plan', file)
      assert.equal(code, 1, err)
      assert.match(err, /rollbook\.yaml:3:9: .* \(\/branding\/logo\)/)
      assert.match(err, detail)
    }
    for (const value of ['{ env: HOME }', '{ file: logo.svg, size: 1 }', '{ file: 7 }']) {
      write(value)
      assert.match((await run('plan', file)).err, /rollbook\.yaml:3:9: A logo must be a data URL or \{file: PATH\}/)
    }

    logo(svg)
    writeFileSync(path('config/dark.png'), png())
    const both = { version: 1, branding: { name: 'Acme', logo: { file: 'logo.svg' }, logo_dark: { file: 'dark.png' } } }
    writeFileSync(file, JSON.stringify(both))
    const applied = await run('apply', file, '--yes')
    assert.equal(applied.code, 0, applied.err)
    const stored = (await (await service.call('GET', '/branding')).json()) as Record<string, string>
    assert.match(String(stored.logo_dark), /^data:image\/png;base64,/)
    const clean = Buffer.from(String(stored.logo).replace(/^.*,/, ''), 'base64').toString()
    assert.doesNotMatch(clean, /script/)

    const exported = await run('config', 'export', '--logos', path('config/export'))
    assert.match(exported.out, /^# yaml-language-server: /)
    assert.doesNotMatch(exported.out, /base64/)
    assert.deepEqual(parse(exported.out).branding, {
      name: 'Acme',
      logo: { file: path('config/export/logo.svg') },
      logo_dark: { file: path('config/export/logo-dark.png') },
    })
    assert.equal(readFileSync(path('config/export/logo.svg'), 'utf8'), clean)
    writeFileSync(file, exported.out)
    assert.equal((await run('plan', file)).out, 'No changes. 1 unchanged.\n')
    assert.match((await run('config', 'export')).out, /\n {2}logo: data:image\/svg\+xml;base64,/)
  })

  it('are read at a start, too', async (t) => {
    const directory = makeDirectory(t)
    const file = join(directory, 'start.yaml')
    writeFileSync(file, 'version: 1\nbranding: { logo: { file: logo.svg } }\n')
    const env = { ROLLBOOK_APPLY_FILE: file }
    const refused = await runCommand(['serve'], { ROLLBOOK_DATA_DIR: directory, ROLLBOOK_PORT: '0', ...env })
    assert.equal(refused.code, exitCodes.misconfigured, refused.err)
    assert.match(refused.err, /start\.yaml:2:19: This file cannot be read \(ENOENT\)\. \(\/branding\/logo\)/)
    writeFileSync(join(directory, 'logo.svg'), '<svg viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>')
    const service = await startService(t, { directory, env })
    const { logo } = (await (await service.call('GET', '/branding')).json()) as { logo: string }
    assert.match(logo, /^data:image\/svg\+xml;base64,/)
  })
})

describe('ROLLBOOK_APPLY_FILE', () => {
  it('is applied before the service serves, keeps an older file away, and stops the start of a faulty one', async (t) => {
    const directory = makeDirectory(t)
    const file = join(directory, 'start.yaml')
    const env = { ROLLBOOK_APPLY_FILE: file }
    writeFileSync(
      file,
      `version: 1\ngeneration: 2\nkeys: [{ name: k, permissions: [users:read], write_to: { file: ${directory}/k } }]\n`,
    )
    const first = await startService(t, { directory, env })
    const key = readFileSync(join(directory, 'k'), 'utf8').trim()
    assert.equal((await fetch(`${first.url}/users`, { headers: { 'x-api-key': key } })).status, 200)
    await first.end('SIGTERM')

    writeFileSync(file, 'version: 1\ngeneration: 1\nkeys: []\n')
    const second = await startService(t, { directory, env })
    assert.equal((await fetch(`${second.url}/users`, { headers: { 'x-api-key': key } })).status, 200)
    await second.end('SIGTERM')

    writeFileSync(file, 'version: 1\ngeneration: 3\nkeys: []\n')
    const refused = await runCommand(['serve'], { ROLLBOOK_DATA_DIR: directory, ROLLBOOK_PORT: '0', ...env })
    assert.equal(refused.code, exitCodes.misconfigured, refused.err)
    assert.match(refused.err, /deletes 1 object, and ROLLBOOK_APPLY_ALLOW_DELETE allows 0/)
    writeFileSync(file, 'version: 1\ngeneration: 3\ngroups:\n  - { nam: A }\n')
    const faulty = await runCommand(['serve'], { ROLLBOOK_DATA_DIR: directory, ROLLBOOK_PORT: '0', ...env })
    assert.deepEqual([faulty.code, /start\.yaml:4:7: /.test(faulty.err)], [exitCodes.misconfigured, true], faulty.err)
  })
})

describe('the guide to configuration as code', () => {
  const guide = readFileSync(join(root, 'docs/configuration-as-code.md'), 'utf8')
  const blocksOf = (language: string) =>
    [...guide.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text)

  it('has commands that run as they stand, at a prompt and in both pipelines', async (t) => {
    const { service, write, path } = await startBeside(t)
    mkdirSync(path('bin'))
    const program = (name: string, line: string) =>
      writeFileSync(path(`bin/${name}`), `#!/bin/sh\nexec ${line}\n`, { mode: 0o755 })
    program('rollbook', `"${process.execPath}" "${executable}" "$@"`)
    program('npx', '"$@"')
    const shell = async (command: string, own: Record<string, string> = {}, reply = '') => {
      const env = { PATH: `${path('bin')}:${process.env.PATH}`, HOME: path('.'), ...own }
      const args = reply === '' ? ['sh', '-ec', command] : ['script', '-qec', command, '/dev/null']
      const child = spawn(args[0] as string, args.slice(1), { cwd: path('.'), env, stdio: 'pipe' })
      let [out, isAnswered] = ['', reply === '']
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (part: Buffer) => {
          out += part
          if (!isAnswered && out.includes('[y/N]')) {
            isAnswered = true
            child.stdin.write(reply)
          }
        })
      }
      const [code] = await once(child, 'close')
      return { code, out }
    }
    const secrets = { ROLLBOOK_API_KEY: adminKey, ACME_CLIENT_SECRET: 'of-acme' }
    const address = { ROLLBOOK_URL: service.url }
    await service.call('POST', '/groups', { name: 'Was there before' })

    const prompt = await shell(blocksOf('sh')[0] as string, { ...address, ...secrets }, 'y\r')
    assert.equal(prompt.code, 0, prompt.out)
    assert.match(prompt.out, /= adopt groups "Was there before"[\s\S]*Applied\./)

    write(blocksOf('yaml')[0] as string)
    const [, github, gitlab] = blocksOf('yaml').map((text) => parse(text))
    const stepsOf = (job: { steps: { run?: string }[] }) => job.steps.flatMap(({ run }) => run ?? [])
    const { plan, apply, drift } = github.jobs
    // A pipeline knows the secrets by the names that its environment gives them.
    const filled = (value: string) =>
      value.replace(/^\$\{\{ secrets\.(\w+) \}\}$/, (_, name: string) => secrets[name as keyof typeof secrets] ?? '')
    const env = Object.fromEntries(Object.entries(github.env as object).map(([name, value]) => [name, filled(value)]))
    const atGitHub = { ...env, ...address, GITHUB_SHA: 'abc' }
    const atGitLab = { ...gitlab.variables, ...secrets, ...address, CI_COMMIT_SHA: 'abc' }
    const commands = [
      ...[plan, apply, drift].flatMap(stepsOf).map((command) => [command, atGitHub] as const),
      ...['plan', 'apply', 'drift'].flatMap((job) =>
        (gitlab[job].script as string[]).map((command) => [command, atGitLab] as const),
      ),
    ].filter(([command]) => !/^(npm ci|gh )/.test(command))
    assert.equal(commands.length, 6)
    for (const [command, own] of commands) {
      const { code, out } = await shell(command, own)
      assert.equal(code, 0, `${command}\n${out}`)
    }
    assert.match(readFileSync(path('plan.md'), 'utf8'), /^### Rollbook configuration\n/)
    assert.equal((await shell(drift.steps.at(-1).run, atGitHub)).out, 'No changes. 11 unchanged.\n')
    const groups = (await (await service.call('GET', '/groups')).json()) as { group_id: string; name: string }[]
    const { group_id } = groups.find(({ name }) => name === 'Support') as { group_id: string }
    await service.call('PATCH', `/groups/${group_id}?override=true`, { description: 'By hand' })
    for (const own of [atGitHub, atGitLab]) assert.equal((await shell(commands.at(-1)?.[0] as string, own)).code, 2)
  })
})
