import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeDirectory, startService } from '../../test/durability/process.ts'
import { runCommand } from './command-process.ts'

const commands = ['serve', 'backup', 'restore', 'move', 'audit']

describe('the command line', () => {
  it('says on standard output what the commands are, and of each how it is used, with examples first', async () => {
    const general = await runCommand(['--help'])
    assert.equal(general.code, 0)
    assert.equal(general.err, '')
    for (const name of commands) {
      assert.match(general.out, new RegExp(`^  ${name} `, 'm'))
      const { code, out, err } = await runCommand([name, '--help'])
      assert.deepEqual([code, err], [0, ''])
      const [before = '', options] = out.split('\nOptions:\n')
      assert.ok(options, name)
      assert.ok((before.match(/^ {2}.*rollbook/gm)?.length ?? 0) >= 2, `${name} has two examples`)
      for (const line of out.split('\n')) assert.ok(line.length <= 80, line)
    }
  })

  it('answers 2 and says what is wrong when it is used wrongly, on standard error', async () => {
    const wrong = [
      ['dance'],
      ['serve', 'now'],
      ['serve', '--port', '80'],
      ['backup'],
      ['move', '--from', 'sqlite:./data'],
      ['move', '--from', './data', '--to', 'sqlite:./other'],
      ['move', '--from', 'sqlite:./data', '--to', 'sqlite:./other'],
      ['move', '--from', 'sqlite:./data', '--to', 'env:NOT_SET'],
      ['move', '--from', 'sqlite:./data', '--to', 'postgres://localhost/x', '--schema', 'No Schema'],
    ]
    for (const args of wrong) {
      const { code, out, err } = await runCommand(args)
      assert.deepEqual([code, out], [2, ''], args.join(' '))
      assert.notEqual(err, '')
      assert.doesNotMatch(err, /^\s+at /m)
    }
  })

  it('answers 1 and says why when the work fails, without a stack', async () => {
    const { code, out, err } = await runCommand(['backup', '--data-dir', '/nowhere/at/all', '--to', '/nowhere/b.db'])
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^There is no store: .* does not exist\.\n$/)
  })

  it('says its version', async () => {
    const { code, out } = await runCommand(['--version'])
    assert.equal(code, 0)
    assert.match(out, /^\d+\.\d+\.\d+\n$/)
  })

  it('serves without loading what only commands need', async (t) => {
    // Tells of every module that is asked for.
    const preload = `
      import { registerHooks } from 'node:module'
      registerHooks({ resolve(specifier, context, next) {
        process.stderr.write('asks for ' + specifier + '\\n')
        return next(specifier, context)
      } })`
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` }
    const service = await startService(t, { directory: makeDirectory(t), env })
    assert.match(service.errors(), /^asks for fastify$/m)
    assert.doesNotMatch(service.errors(), /^asks for (commander|.*program\.ts|pg)$/m)
    await service.end('SIGTERM')
    const help = await runCommand(['--help'], env)
    assert.match(help.err, /^asks for commander$/m)
    assert.doesNotMatch(help.err, /^asks for (fastify|pg|pino)$/m)
  })
})
