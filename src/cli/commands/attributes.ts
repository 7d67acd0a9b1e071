/** `rollbook attributes`: defines members of users. The values belong to the users. */
import { type Command, Option } from 'commander'
import { attributeSchema, editors, types } from '../../directory/attributes/schema.ts'
import { counted } from '../../lib/amounts.ts'
import type { UpdateAttribute } from '../../sdk/client/types.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import {
  addOverrideOption,
  addWriteOptions,
  confirm,
  type OverrideOption,
  type WriteOptions,
} from '../terminal/write-options.ts'

type Common = OutputOptions & RemoteOptions
type Settings = {
  label?: string
  type?: (typeof types)[number]
  option?: string[]
  required?: boolean
  unique?: boolean
  searchable?: boolean
  pattern?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  editableBy?: (typeof editors)[number]
  inToken?: boolean
  inHeader?: boolean
}

const columns = {
  all: attributeSchema.required,
  shown: ['name', 'label', 'type', 'required', 'unique', 'searchable', 'editable_by'],
}

export function addAttributes(program: Command): void {
  const attributes = program
    .command('attributes')
    .summary('define custom attributes of users')
    .description('Defines custom attributes of users, such as a department. The values belong to the users.')
  examples(attributes, [
    ['rollbook attributes create department --type string --searchable', 'define an attribute that filters find'],
    ['rollbook attributes list', 'show all definitions'],
  ])
  addList(attributes)
  addCreate(attributes)
  addUpdate(attributes)
  addDelete(attributes)
}

function addSettings(command: Command): void {
  const number = (text: string) => {
    const value = Number(text)
    if (text.trim() === '' || Number.isNaN(value)) throw new UsageError(`${JSON.stringify(text)} is not a number.`)
    return value
  }
  command
    .option('--label <text>', 'what people read')
    .option('--option <value...>', 'the values of an enum, in their order')
    .option('--required', 'every user has a value')
    .option('--unique', 'no two users have the same value')
    .option('--searchable', 'filters use an index')
    .option('--pattern <expression>', 'a regular expression (RE2) for texts')
    .option('--minimum <number>', 'the least number', number)
    .option('--maximum <number>', 'the greatest number', number)
    .option('--max-length <count>', 'the most characters of a text', number)
    .addOption(new Option('--editable-by <who>', 'who may write the values').choices(editors))
    .option('--in-token', 'access tokens carry the values')
    .option('--in-header', 'products behind Rollbook get the values in Remote-Attributes')
}

function settingsOf(options: Settings): UpdateAttribute {
  const { label, type, option, required, unique, searchable, pattern, minimum, maximum } = options
  const { maxLength: max_length, editableBy: editable_by, inToken: in_token, inHeader: in_header } = options
  const input = { label, type, options: option, required, unique, searchable, pattern, minimum, maximum }
  const all = Object.entries({ ...input, max_length, editable_by, in_token, in_header })
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

function addList(attributes: Command): void {
  const list = attributes
    .command('list')
    .summary('list the attributes')
    .description('Lists the definitions of all attributes.')
    .action(runList)
  examples(list, [
    ['rollbook attributes list', 'show names, types and rules'],
    ['rollbook attributes list --json', 'output for a program'],
  ])
  addOutputOptions(list, columns)
  addRemoteOptions(list)
}

async function runList(options: Common): Promise<void> {
  await withServer(options, async (client, signal) =>
    printRows(await client.attributes.list({ signal }), options, 'attributes'),
  )
}

function addCreate(attributes: Command): void {
  const create = attributes
    .command('create')
    .summary('define an attribute')
    .description('Defines an attribute of users and shows the definition.')
    .argument('<name>', 'lower-case letters, digits and underscores; it cannot be changed later')
    .addOption(new Option('--type <type>', 'the type of the values').choices(types).makeOptionMandatory())
    .action(runCreate)
  addSettings(create)
  examples(create, [
    ['rollbook attributes create department --type string --searchable', 'a text that filters find'],
    ['rollbook attributes create size --type enum --option S M L', 'one of several values'],
  ])
  addWriteOptions(create)
  addOutputOptions(create, columns)
  addRemoteOptions(create)
}

async function runCreate(
  name: string,
  options: Settings & { type: (typeof types)[number] } & WriteOptions & Common,
): Promise<void> {
  const { dryRun = false, type } = options
  const input = { ...settingsOf(options), name, type }
  const created = await withServer(options, (client, signal) => client.attributes.create(input, { signal, dryRun }))
  await printOne(created, options)
  tell(dryRun ? 'Nothing was created. The definition would be as shown.' : `Created ${created.name}.`)
}

function addUpdate(attributes: Command): void {
  const update = attributes
    .command('update')
    .summary('change the definition of an attribute')
    .description(
      'Changes the given members of a definition and shows the result. It is refused, with the number of users, if existing values would violate it.',
    )
    .argument('<name>', 'the name of the attribute')
    .addOption(new Option('--type <type>', 'the type of the values').choices(types))
    .action(runUpdate)
  addSettings(update)
  update
    .option('--no-required', 'users need no value')
    .option('--no-unique', 'users may have the same value')
    .option('--no-searchable', 'remove the index')
    .option('--no-in-token', 'access tokens do not carry the values')
    .option('--no-in-header', 'products do not get the values')
  examples(update, [
    ['rollbook attributes update department --required --dry-run', 'check whether every user has a value'],
    ['rollbook attributes update size --option S M L XL', 'replace the values of an enum'],
  ])
  addOverrideOption(update, 'an attribute')
  addWriteOptions(update)
  addOutputOptions(update, columns)
  addRemoteOptions(update)
}

async function runUpdate(name: string, options: Settings & WriteOptions & OverrideOption & Common): Promise<void> {
  const { dryRun = false, override } = options
  const patch = settingsOf(options)
  if (Object.keys(patch).length === 0)
    throw new UsageError('There is nothing to change. Give at least one option with a new value.')
  const changed = await withServer(options, (client, signal) =>
    client.attributes.update(name, () => patch, { signal, dryRun, override }),
  )
  await printOne(changed, options)
  tell(dryRun ? 'Nothing was changed. The definition would be as shown.' : `Changed ${changed.name}.`)
}

function addDelete(attributes: Command): void {
  const remove = attributes
    .command('delete')
    .summary('delete an attribute with its values')
    .description('Deletes a definition and the values that users have. Asks first, unless --yes is given.')
    .argument('<name>', 'the name of the attribute')
    .action(runDelete)
  examples(remove, [
    ['rollbook attributes delete size --dry-run', 'see how many users have a value'],
    ['rollbook attributes delete size --yes', 'without confirmation'],
  ])
  addOverrideOption(remove, 'an attribute')
  addWriteOptions(remove)
  addOutputOptions(remove, ['name', 'deleted', 'values_removed'])
  addRemoteOptions(remove)
}

async function runDelete(name: string, options: WriteOptions & OverrideOption & Common): Promise<void> {
  const { dryRun = false, override } = options
  await withServer(options, async (client, signal) => {
    const trial = await client.attributes.delete(name, { signal, dryRun: true, override })
    const loss = counted(trial.values_removed, 'value')
    await confirm(`Delete the attribute ${name} with ${loss}?`, options)
    const done = dryRun ? trial : await client.attributes.delete(name, { signal, override })
    await printOne(done, options)
    tell(dryRun ? `Nothing was changed. ${name} can be deleted, with ${loss}.` : `Deleted ${name} with ${loss}.`)
  })
}
