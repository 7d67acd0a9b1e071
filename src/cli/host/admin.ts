/** `rollbook admin`: gives access to an operator of the host. */
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
    .summary('create the first administrator, or regain access')
    .description('Works on the store directly, without credentials, for operators with access to the host.')
  examples(admin, [
    ['rollbook admin link', 'print a link that creates the first administrator'],
    ['rollbook admin reset', 'create an API key with full access'],
    ['rollbook admin reset ada', 'set a new password for the administrator ada'],
  ])
  addLink(admin)
  const reset = admin
    .command('reset')
    .summary("create an admin key, or set an administrator's password")
    .description(
      'Without a name, creates an API key with full access and writes it to a file that only its owner can read. With a name, sets a new password for that administrator, activates and unlocks them, and ends their sessions and tokens. On SQLite the service must be stopped; on PostgreSQL it may run. Uses the configuration of the service. The audit records it.',
    )
    .argument('[name]', 'username or email address of an administrator')
    .option('--create', 'create the administrator if there is no such user')
    .option('--promote', 'make a user with another role an administrator')
    .option('--must-change', 'require a new password at the next sign-in')
    .option('--key', 'with a name: also create a key')
    .option('--key-file <file>', 'file for the key (default: admin-key in the data directory)')
    .option('--show', 'show the key once on the terminal instead of writing it to a file')
    .option('--data-dir <directory>', 'data directory of the SQLite store (default: the configured store)')
    .option('--json', 'print the result as JSON')
    .action(runReset)
  addPasswordOptions(reset)
  addWriteOptions(reset)
  examples(reset, [
    ['rollbook admin reset', 'write a new key to admin-key in the data directory'],
    ['rollbook admin reset ada --create --ask-password', 'create an administrator, or set the password'],
  ])
}

function addLink(admin: Command): void {
  const link = admin
    .command('link')
    .summary('print a link that creates the first administrator')
    .description(
      'Prints a link that creates the first administrator in a browser and signs them in. The link works once, within 24 hours, and replaces earlier links. It is available only while there is no active administrator. The service may run meanwhile. Uses the configuration of the service. The audit records it.',
    )
    .option('--data-dir <directory>', 'data directory of the SQLite store (default: the configured store)')
    .option('--json', 'print the link as JSON')
    .action(runLink)
  examples(link, [
    ['rollbook admin link', 'print the link; open it in a browser'],
    ['docker exec rollbook rollbook admin link', 'for a service in a container'],
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
      await confirm(`${key.file} exists and will be overwritten with the new key. Continue?`, options)
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
    throw new UsageError('Give the name of the administrator: rollbook admin reset <name>.')
  }
  if (options.show && options.keyFile !== undefined) throw new UsageError('Give one of --show and --key-file.')
  if (options.show && !process.stdout.isTTY) {
    throw new UsageError(
      '--show works only on a terminal, because elsewhere the key could end up in a log. Give --key-file.',
    )
  }
}

/** A typing error must not create an administrator or promote another user. */
function refuseSurprises({ found, becomesAdministrator }: Person, { create, promote }: Options): void {
  if (found === undefined) {
    if (create) return
    throw new Failed('There is no user with this name. Give --create to create an administrator.', exitCodes.notFound)
  }
  if (!becomesAdministrator || promote) return
  throw new Failed(
    `${found.username} is not an administrator (role ${found.role}). Give --promote to make them one.`,
    exitCodes.conflict,
  )
}

async function passwordFor({ username }: Person, options: Options): Promise<string> {
  const password = await readPassword(options)
  if (password !== undefined) return password
  const instead = '--password-stdin or --password-file'
  return readSecret({ prompt: `New password for ${username}`, twice: true, instead })
}

async function report(done: Done, { json, dryRun }: Options, who: Person | undefined): Promise<void> {
  const { user, key, otherKeys, migrated } = done
  if (migrated.length > 0) tell(`The store was migrated: ${migrated.join(', ')}.`)
  if (dryRun) tell('Dry run: nothing was changed. Without --dry-run:')
  if (user?.created) tell(`${user.username} was created, with the role ${user.role}.`)
  else if (user !== undefined) {
    tell(`${user.username} has a new password. Their sessions and access tokens have ended.`)
    if (who?.found?.active === false) tell(`${user.username} is active again.`)
    if (who?.becomesAdministrator) tell(`${user.username} now has the role ${user.role}.`)
  }
  if (key?.file !== undefined) tell(`The new key with full access ${dryRun ? 'would be' : 'is'} in ${key.file}.`)
  if (key?.secret !== undefined) tell('The new key with full access. It is shown only once:')
  if (otherKeys.length > 0) {
    tell('Other keys with full access. Revoke keys that are unused or stolen (rollbook keys revoke <key_id>):')
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
