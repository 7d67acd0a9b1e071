import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { runCommand } from '../../../test/command-process.ts'
import { makeDirectory, startService } from '../../../test/durability/process.ts'
import { home } from '../../lib/home.ts'
import { examplesOf } from '../terminal/examples.ts'
import { splitWords } from './complete.ts'
import { buildProgram } from './program.ts'
import { topics } from './topics.ts'

function commandsIn(command: Command): Command[] {
  const below = command.createHelp().visibleCommands(command)
  return [command, ...below.flatMap(commandsIn)]
}

/** Prints every requested module to standard error. */
const tellsOfModules = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module'
    registerHooks({ resolve(specifier, context, next) {
      const found = next(specifier, context)
      process.stderr.write('asks for ' + (/^[./]|^file:/.test(specifier) ? found.url : specifier) + '\\n')
      return found
    } })`)}`,
}

/** Packages by name, and sources by path, also those that were put together in one file. */
function modulesIn(errors: string): string[] {
  const modules = [...errors.matchAll(/^asks for (.*)$/gm)].map(([, module]) => module as string)
  return modules.flatMap((module) => {
    if (!module.startsWith('file:')) return module
    const path = relative(home, fileURLToPath(module))
    if (!path.startsWith('built/')) return path
    const names = readFileSync(join(home, path), 'utf8').matchAll(
      /^\/\/(?:#region)? (?:(src\/.*)|node_modules\/((?:@[^/]+\/)?[^/]+).*)$/gm,
    )
    return [...new Set([...names].map(([, source, name]) => (source ?? name) as string))]
  })
}

describe('the command line', () => {
  it('has two examples before the options in the help of every command, in lines of 80 characters', async () => {
    const all = commandsIn(await buildProgram())
    assert.ok(all.length > 20)
    for (const command of all) {
      const name = command.name()
      const help = command.helpInformation()
      assert.ok(examplesOf(command).length >= 2, name)
      assert.ok(help.indexOf('\nExamples:\n') < help.indexOf('\nOptions:\n'), name)
      assert.ok(help.includes('\nExamples:\n'), name)
      for (const line of help.split('\n')) assert.ok(line.length <= 80, `${name}: ${line}`)
      assert.ok(command.parent === null || examplesOf(command).some(([line]) => line.includes(name)), name)
    }
  })

  it('has examples with existing commands and options', async () => {
    const program = await buildProgram()
    const lines = commandsIn(program).flatMap((command) => examplesOf(command).map(([line]) => line))
    for (const line of lines) {
      const [, typed = ''] = /(?:^|[ (])rollbook\b(.*)$/.exec(line) ?? []
      assert.ok(/\brollbook\b/.test(line), line)
      const words = splitWords(typed.replace(/ [|>].*$|\)$/, '').trim()).filter((word) => word !== '')
      let command = program
      for (const word of words) {
        command = command.commands.find((one) => one.name() === word) ?? command
        const [flag] = word.split('=')
        if (!word.startsWith('-') || word === '-') continue
        assert.ok(
          command.options.some(({ long, short }) => flag === long || flag === short),
          `${line}: ${flag}`,
        )
      }
      assert.ok(words.length === 0 || command !== program, line)
    }
  })

  it('accepts --dry-run wherever it accepts --yes, and never a secret as an argument', async () => {
    for (const command of commandsIn(await buildProgram())) {
      const flags = command.options.map(({ long }) => long)
      // The dry run of `rollbook apply` is `rollbook plan`.
      if (flags.includes('--yes') && command.name() !== 'apply') assert.ok(flags.includes('--dry-run'), command.name())
      for (const { long, required, optional } of command.options) {
        if (/^--(.*-)?(password|key|secret|token|passphrase)$/.test(long ?? '')) {
          assert.ok(!required && !optional, `${command.name()} ${long}`)
        }
      }
    }
  })

  it('has --override wherever a command changes what a configuration file may manage', async () => {
    const groups = [
      ...['attributes', 'connections', 'domains', 'groups', 'keys', 'organizations', 'policies', 'provisioning'],
      ...['roles', 'webhooks'],
    ]
    const changing = (parent: string) => (parent === 'domains' ? ['add', 'remove'] : ['update', 'delete', 'revoke'])
    const found = commandsIn(await buildProgram())
      .filter(({ parent }) => groups.includes(parent?.name() ?? ''))
      .filter((command) => changing(command.parent?.name() ?? '').includes(command.name()))
    assert.equal(found.length, 19)
    for (const command of found) {
      assert.ok(
        command.options.some(({ long }) => long === '--override'),
        `${command.parent?.name()} ${command.name()}`,
      )
    }
  })

  it('prints the commands and topics to standard output', async () => {
    const program = await buildProgram()
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { code, out, err } = await runCommand(args)
      assert.deepEqual([code, err], [0, ''])
      for (const { name } of program
        .createHelp()
        .visibleCommands(program)
        .map((one) => ({ name: one.name() }))) {
        assert.match(out, new RegExp(`^  ${name} `, 'm'))
      }
      for (const topic of Object.keys(topics)) assert.match(out, new RegExp(`^  ${topic} `, 'm'))
    }
    const of = program.commands.find((one) => one.name() === 'users')?.commands.find((one) => one.name() === 'get')
    for (const args of [
      ['help', 'users', 'get'],
      ['help', 'users', 'show'],
      ['users', 'get', '--help'],
    ]) {
      assert.deepEqual(await runCommand(args), { code: 0, signal: null, out: of?.helpInformation(), err: '' })
    }
  })

  it('explains topics in lines of 80 characters, and lists them for an unknown topic', async () => {
    for (const { text } of Object.values(topics)) {
      for (const line of text.split('\n')) assert.ok(line.length <= 80, line)
    }
    const { code, out } = await runCommand(['help', 'exit-codes'])
    assert.equal(code, 0)
    assert.match(out, /^ {2}130 {2}interrupted/m)
    const none = await runCommand(['help', 'everything'])
    assert.deepEqual([none.code, none.out], [2, ''])
    assert.match(none.err, /exit-codes/)
  })

  it('exits with 2 and the reason on standard error for wrong usage', async () => {
    const wrong = [
      ['dance'],
      ['users'],
      ['users', 'lsit'],
      ['users', 'get'],
      ['users', 'list', '--columns', 'user_id,password'],
      ['users', 'list', '--output', 'xml'],
      ['users', 'list', '--json', '--output', 'csv'],
      ['users', 'list', '--url', 'ftp://example.com'],
      ['users', 'list', '--created-after', 'yesterday'],
      ['serve', 'now'],
      ['serve', '--port', '80'],
      ['backup'],
      ['move', '--from', 'sqlite:./data'],
      ['move', '--from', './data', '--to', 'sqlite:./other'],
      ['move', '--from', 'sqlite:./data', '--to', 'sqlite:./other'],
      ['move', '--from', 'sqlite:./data', '--to', 'env:NOT_SET'],
      ['move', '--from', 'sqlite:./data', '--to', 'postgres://localhost/x', '--schema', 'No Schema'],
    ]
    const finished = await Promise.all(wrong.map((args) => runCommand(args)))
    for (const [index, { code, out, err }] of finished.entries()) {
      assert.deepEqual([code, out], [2, ''], String(wrong[index]))
      assert.notEqual(err, '')
      assert.doesNotMatch(err, /^\s+at /m)
    }
    assert.match(finished[0]?.err ?? '', /unknown command/)
    assert.match(finished[2]?.err ?? '', /Did you mean list\?/)
  })

  it('names the help of the command that was used wrongly', async () => {
    const cases = [
      [['dance'], 'rollbook'],
      [['users', 'lsit'], 'rollbook users'],
      [['users', 'create', '--colour', 'red'], 'rollbook users create'],
      [['audit', 'list', '--output', 'xml'], 'rollbook audit list'],
    ] as const
    for (const [args, command] of cases) {
      const { code, err } = await runCommand(args)
      assert.equal(code, 2)
      assert.match(err, new RegExp(`^See ${command} --help\\.$`, 'm'))
    }
  })

  it('exits with 1 and the reason if a command fails, without a stack', async () => {
    const { code, out, err } = await runCommand(['backup', '--data-dir', '/nowhere/at/all', '--to', '/nowhere/b.db'])
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^There is no store: .* does not exist\.\n$/)
  })

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
    for (const flag of ['--version', '-V']) {
      assert.deepEqual(await runCommand([flag]), { code: 0, signal: null, out: `${version}\n`, err: '' })
    }
  })

  it('serves without loading what only commands need', async (t) => {
    const service = await startService(t, { directory: makeDirectory(t), env: tellsOfModules })
    const modules = modulesIn(service.errors())
    assert.ok(modules.includes('fastify'))
    for (const module of modules) assert.doesNotMatch(module, /^(commander|@clack\/prompts|pg)$|program\.ts|client\//)
    await service.end('SIGTERM')
  })

  it('loads only the text for --help, and for a command neither the server nor other commands', async () => {
    const own = (errors: string) => modulesIn(errors).filter((module) => !module.startsWith('node:'))
    const help = await runCommand(['--help'], tellsOfModules)
    const [executable, ...loaded] = own(help.err)
    assert.equal(executable, 'bin/rollbook.js')
    assert.deepEqual(loaded, ['src/main.ts', 'src/cli/program/help-text.ts'])
    const list = await runCommand(['users', 'list', '--help'], tellsOfModules)
    assert.ok(own(list.err).includes('commander'))
    for (const module of own(list.err)) {
      assert.doesNotMatch(module, /fastify|pino|^pg$|clack|client\/|config\.ts|backup|audit|move|doctor/)
    }
  })
})
