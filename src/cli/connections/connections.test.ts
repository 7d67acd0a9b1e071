import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { runCommand } from '../../../test/command-process.ts'
import { makeDirectory, startService } from '../../../test/durability/process.ts'
import { adminKey } from '../../../test/harness.ts'
import { connectionTo, findSlapd, person, startSlapd } from '../../../test/slapd.ts'
import { exitCodes } from '../terminal/exit-codes.ts'

const skip = (await findSlapd()) === undefined ? 'no slapd' : false

async function startBeside(t: TestContext) {
  const directory = makeDirectory(t)
  const started = await startService(t, { directory, env: { ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1' } })
  const env = { HOME: directory, ROLLBOOK_URL: started.url, ROLLBOOK_API_KEY: adminKey }
  const run = (...args: string[]) => runCommand(args, env)
  const json = async (...args: string[]) => {
    const { code, out, err } = await run(...args, '--json')
    assert.equal(code, 0, err)
    return JSON.parse(out)
  }
  const create = (body: object) => {
    const file = join(directory, 'connection.json')
    writeFileSync(file, JSON.stringify(body))
    return json('connections', 'create', file)
  }
  const call = async (method: string, path: string, body: object) => {
    const response = await started.call(method, path, body)
    assert.ok(response.ok, `${method} ${path}: ${response.status}`)
    return (await response.json()) as { user_id: string }
  }
  return { run, json, create, call }
}

describe('rollbook connections', () => {
  it('looks up a user of a directory, synchronizes with it, and lists and unlinks accounts', { skip }, async (t) => {
    const slapd = await startSlapd()
    assert.ok(slapd)
    t.after(() => slapd.stop())
    const { run, json, create } = await startBeside(t)
    await create({
      ...connectionTo(slapd),
      user_filter: '(&(objectClass=inetOrgPerson)(uid={username}))',
    })
    assert.equal((await json('connections', 'look-up', 'directory')).outcome, 'reachable')
    const trial = await json('connections', 'look-up', 'Directory', 'ada')
    assert.equal(trial.outcome, 'creates')
    assert.equal(trial.user.email, person('ada').mail)
    const displayed = await run('connections', 'look-up', 'Directory', 'ada')
    assert.match(displayed.out, /^CLAIM +VALUE +NOTE\nsub +"[^"]+" +Identifies the account/m)
    assert.doesNotMatch(displayed.out, /^(claims|found) /m)

    const tried = await run('connections', 'sync', 'Directory', '--dry-run')
    assert.equal(tried.code, 0, tried.err)
    assert.match(tried.err, /21 accounts: 20 created, 1 skipped\.\nNothing was changed\./)
    assert.equal((await run('users', 'get', 'ada@example.com')).code, exitCodes.notFound)
    const { code, err } = await run('connections', 'sync', 'Directory')
    assert.equal(code, exitCodes.someRowsFailed, err)
    assert.match(err, /19 created, 1 skipped, 1 rejected/)
    assert.match(err, /link_required: uid=user1[34],ou=people/)
    const begun = await json('connections', 'sync', 'Directory', '--detach')
    const followed = await run('connections', 'sync', 'Directory', '--follow', begun.job_id, '--json')
    assert.equal(JSON.parse(followed.out).unchanged, 19)

    const [identity] = await json('connections', 'identities', 'ada@example.com')
    assert.equal(identity.connection_name, 'Directory')
    assert.equal(identity.linked_by, 'creation')
    assert.equal((await json('connections', 'unlink', 'ada@example.com', '--dry-run')).removed, 1)
    const [other] = await json('connections', 'identities', 'grace@example.com')
    const one = ['connections', 'unlink', 'ada@example.com', '--yes', '--identity']
    assert.equal((await run(...one, other.identity_id)).code, exitCodes.notFound)
    assert.equal((await json(...one, 'directory')).removed, 1)
    assert.equal((await json('connections', 'unlink', 'grace@example.com', '--yes')).removed, 1)
    assert.deepEqual(await json('connections', 'identities', 'ada@example.com'), [])

    await slapd.stop()
    const dead = await run('connections', 'sync', 'Directory')
    assert.equal(dead.code, exitCodes.failed)
    assert.match(dead.err, /interrupted\. See "rollbook connections failures"/)
  })

  it('refuses passwords, except for those who must get in without the company', async (t) => {
    const { run, json, create, call } = await startBeside(t)
    const credentials = { password: 'seven grey herons over the weir' }
    const { user_id } = await call('POST', '/users', { username: 'grace', role: 'admin', ...credentials })
    await call('POST', '/users', { username: 'ada', ...credentials })
    const oidc = { kind: 'oidc', issuer: 'https://id.example.com', client_id: 'rollbook' }
    await create({ ...oidc, name: 'Okta', domains: ['example.com'], active: true })

    const locked = await run('connections', 'passwords', 'Okta', 'refuse-all', '--yes')
    assert.equal(locked.code, exitCodes.conflict)
    assert.match(locked.err, /last_password_admin|password_exceptions/)
    const tried = await run('connections', 'passwords', 'Okta', 'refuse-all', '--except', 'grace', '--dry-run')
    assert.match(tried.err, /Nothing was changed\. Users cannot sign in with a password; 1 exception\./)
    assert.equal((await json('connections', 'get', 'Okta')).passwords, 'allowed')
    const done = await json('connections', 'passwords', 'Okta', 'refuse-all', '--except', 'grace', '--yes')
    assert.equal(done.passwords, 'refused_for_all')
    assert.deepEqual(done.password_exceptions, [user_id])
    const updated = await json('connections', 'passwords', 'Okta', 'refuse-domains', '--yes')
    assert.deepEqual(updated.password_exceptions, done.password_exceptions)
    const finished = await json('connections', 'passwords', 'Okta', 'allow', '--no-exceptions')
    assert.deepEqual(finished.password_exceptions, [])
    assert.equal((await run('connections', 'passwords', 'Okta', 'never')).code, exitCodes.usage)
  })

  it('prints the metadata of SAML for the provider', async (t) => {
    const { run, create } = await startBeside(t)
    await create({ kind: 'saml', name: 'Company', active: false })
    const { code, out, err } = await run('connections', 'metadata', 'Company')
    assert.equal(code, 0, err)
    assert.match(out, /<\w*:?EntityDescriptor/)
  })
})
