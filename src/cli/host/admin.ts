/** `rollbook admin`: the way in, and back in, for whoever has the host. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { examples } from '../terminal/examples.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, UsageError } from '../terminal/failure.ts'
import { tell } from '../terminal/output.ts'
import { addPasswordOptions, type PasswordOptions, readPassword, readSecret } from '../terminal/secret-input.ts'
import { put } from '../terminal/standard-output.ts'
import { visibleJson } from '../terminal/visible-text.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'
import type { Done, Person } from './admin-reset.ts'

type Options = PasswordOptions &
  WriteOptions & {
    key?: true
    keyFile?: string
    show?: true
    create?: true
    promote?: true
    mustChange?: true
    dataDir?: string
    json?: true
  }

export function addAdmin(program: Command): void {
  const admin = program
    .command('admin')
    .summary('get in from the host: the first time, or when every credential is lost')
    .description('Works on the store itself, past all credentials, for whoever has the host.')
  examples(admin, [
    ['rollbook admin link', 'a link that makes the first administrator'],
    ['rollbook admin reset', 'a new API key with full access'],
    ['rollbook admin reset ada', 'another password for the administrator ada'],
  ])
  addLink(admin)
  const reset = admin
    .command('reset')
    .summary('make a new admin key, or give an administrator another password')
    .description(
      'Without a name: makes a new API key with full access and writes it to a file that only its owner can read. With a name: gives that administrator another password and activates them; their sessions and tokens end, and so does a lock-out. On SQLite the service must be stopped; on PostgreSQL it may run. The configuration is that of the service. The audit tells of it.',
    )
    .argument('[name]', 'the username or e-mail address of an administrator')
    .option('--create', 'make the administrator, if there is none of this name')
    .option('--promote', 'make a user of a lesser role an administrator')
    .option('--must-change', 'they have to choose another password at the next sign-in')
    .option('--key', 'make a key as well, when a name is given')
    .option('--key-file <file>', 'where to write the key (default: admin-key in the data directory)')
    .option('--show', 'show the key once, on a terminal, instead of writing it to a file')
    .option('--data-dir <directory>', 'whose SQLite store (default: the configured store)')
    .option('--json', 'say in JSON what was done')
    .action(runReset)
  addPasswordOptions(reset)
  addWriteOptions(reset)
  examples(reset, [
    ['rollbook admin reset', 'a new key, written to admin-key in the data directory'],
    ['rollbook admin reset ada --create --ask-password', 'an administrator, made if need be'],
  ])
}

function addLink(admin: Command): void {
  const link = admin
    .command('link')
    .summary('print a link that makes the first administrator')
    .description(
      'Prints a link at which a browser makes the first administrator and signs them in: good for 24 hours, once, and in place of every earlier one. Only while no user is an active administrator. The service may run meanwhile. The configuration is that of the service. The audit tells of it.',
    )
    .option('--data-dir <directory>', 'whose SQLite store (default: the configured store)')
    .option('--json', 'print an object with the link')
    .action(runLink)
  examples(link, [
    ['rollbook admin link', 'open what it prints in a browser'],
    ['docker exec rollbook rollbook admin link', 'where the service runs in a container'],
  ])
}

async function runLink({ dataDir, json }: Pick<Options, 'dataDir' | 'json'>): Promise<void> {
  const [{ configOfStore }, { makeLink }] = await Promise.all([import('./admin-reset.ts'), import('./admin-link.ts')])
  const link = await makeLink(configOfStore(dataDir))
  await put(json ? `${JSON.stringify({ link })}\n` : `${link}\n`)
}

async function runReset(name: string | undefined, options: Options): Promise<void> {
  refuseContradictions(name, options)
  const { adminKeyFile, configOfStore, findPerson, reset } = await import('./admin-reset.ts')
  const config = configOfStore(options.dataDir)
  const { dryRun = false, mustChange = false, keyFile, show } = options
  const who = name === undefined ? undefined : await findPerson(config, name)
  if (who !== undefined) refuseSurprises(who, options)
  let key: { file: string } | 'shown' | undefined
  if (name === undefined || options.key || show || keyFile !== undefined) {
    key = show ? 'shown' : { file: keyFile === undefined ? adminKeyFile(config) : resolve(keyFile) }
    if (key !== 'shown' && existsSync(key.file)) {
      await confirm(`${key.file} exists; the new key takes the place of what is in it. Go on?`, options)
    }
  }
  const person = who && { who, password: await passwordFor(who, options), mustChange }
  const done = await reset(config, { ...(person && { person }), ...(key && { key }), dryRun })
  await report(done, options, who)
}

function refuseContradictions(name: string | undefined, options: Options): void {
  const { askPassword, passwordStdin, passwordFile, create, promote, mustChange } = options
  const ofPerson = [askPassword, passwordStdin, passwordFile, create, promote, mustChange]
  if (name === undefined && ofPerson.some((option) => option !== undefined)) {
    throw new UsageError('Give the name of the administrator whom this is about: rollbook admin reset <name>.')
  }
  if (options.show && options.keyFile !== undefined) throw new UsageError('Give one of --show and --key-file.')
  if (options.show && !process.stdout.isTTY) {
    throw new UsageError('--show is for a terminal only: elsewhere the key could end up in a log. Give --key-file.')
  }
}

/** A slip of the pen must not make an administrator of nobody, or of somebody else. */
function refuseSurprises({ found, becomesAdministrator }: Person, { create, promote }: Options): void {
  if (found === undefined) {
    if (create) return
    throw new Failed('There is no user of this name. With --create an administrator is made.', exitCodes.notFound)
  }
  if (!becomesAdministrator || promote) return
  throw new Failed(
    `${found.username} is no administrator (role ${found.role}). With --promote they become one.`,
    exitCodes.conflict,
  )
}

async function passwordFor({ username }: Person, options: Options): Promise<string> {
  const given = await readPassword(options)
  if (given !== undefined) return given
  const instead = '--password-stdin or --password-file'
  return readSecret({ prompt: `New password of ${username}`, twice: true, instead })
}

async function report(done: Done, { json, dryRun }: Options, who: Person | undefined): Promise<void> {
  const { user, key, otherKeys, migrated } = done
  if (migrated.length > 0) tell(`The store was brought up to date: ${migrated.join(', ')}.`)
  if (dryRun) tell('Dry run: nothing was changed. Otherwise:')
  if (user?.created) tell(`${user.username} was created, with the role ${user.role}.`)
  else if (user !== undefined) {
    tell(`${user.username} has another password. Their sessions and access tokens have ended.`)
    if (who?.found?.active === false) tell(`${user.username} is active again.`)
    if (who?.becomesAdministrator) tell(`${user.username} has the role ${user.role} now.`)
  }
  if (key?.file !== undefined) tell(`The new key with full access ${dryRun ? 'would be' : 'is'} in ${key.file}.`)
  if (key?.secret !== undefined) tell('The new key with full access, shown this once:')
  if (otherKeys.length > 0) {
    tell('Other keys with full access; revoke what nobody needs, or what was stolen (rollbook keys revoke <key_id>):')
    for (const { key_id, name, prefix, last_used_at } of otherKeys) {
      tell(`  ${key_id}  ${prefix === '' ? name : `${name} (${prefix}…)`}, last used: ${last_used_at ?? 'never'}`)
    }
  }
  if (json) {
    await put(`${visibleJson(JSON.stringify({ dry_run: dryRun ?? false, user: user ?? null, key: key ?? null }))}\n`)
    return
  }
  const lines = [user?.user_id, key?.file ?? key?.secret].filter((line) => line !== undefined)
  await put(lines.map((line) => `${line}\n`).join(''))
}
