import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../../../test/command-process.ts'
import { makeDirectory, startService } from '../../../test/durability/process.ts'
import { adminKey } from '../../../test/harness.ts'
import { splitWords } from './complete.ts'

const executable = fileURLToPath(new URL('../../../bin/rollbook.js', import.meta.url))

async function startBeside(t: TestContext) {
  const directory = makeDirectory(t)
  const service = await startService(t, { directory })
  for (const username of ['ada', 'alan', 'al$(id)', 'al;id', 'zoe', '--purge', ':files', "o'brien"]) {
    const email = username === 'zoe' ? { email: 'zoe@example.com' } : {}
    assert.equal((await service.call('POST', '/users', { username, ...email })).status, 201)
  }
  const env = { ROLLBOOK_URL: service.url, ROLLBOOK_API_KEY: adminKey, XDG_CONFIG_HOME: directory }
  return { directory, env }
}

test('the shell completes commands, options, values and usernames', async (t) => {
  const { directory, env } = await startBeside(t)
  const complete = async (...words: string[]) => {
    const { code, out, err } = await runCommand(['complete', '--', ...words], env)
    assert.deepEqual([code, err], [0, ''])
    return out.split('\n').map((line) => line.split('\t')[0])
  }
  // On a busy machine a response may take longer than the limit for a person who is typing.
  const patiently = ['--timeout', '60']
  const cases: [string[], string[]][] = [
    [['us'], ['users']],
    [
      ['users', 're'],
      ['reset-password', 'restore'],
    ],
    [['users', 'list', '--act'], ['--active']],
    [['users', 'list', '--output', 'j'], ['json']],
    [['users', 'list', '--output=j'], ['--output=json']],
    [['users', 'list', '--columns', 'username,last_l'], ['username,last_login_at']],
    [['users', 'update', 'ada', ...patiently, '--role', 'a'], ['admin']],
    [['users', 'get', ...patiently, 'ad'], ['ada']],
    [['users', 'get', ...patiently, 'zoe@'], ['zoe@example.com']],
    [['users', 'get', 'ada', ''], []],
    [['users', 'create', 'ada', '--password-file', ''], [':files']],
    [
      ['users', 'bulk', 'e'],
      ['enable', 'end-sessions'],
    ],
    [['users', 'bulk', 'set-role', ...patiently, '--to', 'a'], ['admin']],
    [['users', 'bulk', 'delete', 'zoe', ...patiently, 'ad'], ['ada']],
    [['users', 'bulk', 'restore', ...patiently, ''], []],
    [['backup', '--to', ''], [':files']],
    // These names must become neither options nor files for the person who completes.
    [
      ['users', 'delete', ...patiently, ''],
      [':files', 'ada', 'al$(id)', 'al;id', 'alan', "o'brien", 'zoe'],
    ],
    [['users', 'delete', ...patiently, '--', '--p'], ['--purge']],
    [['help', 'exit'], ['exit-codes']],
    [['no-such-command', ''], []],
  ]
  const found = await Promise.all(cases.map(([words]) => complete(...words)))
  for (const [index, [words, expected]] of cases.entries())
    assert.deepEqual(found[index], [...expected, ''], words.join(' '))
  const unreachable = await runCommand(['complete', '--', 'users', 'get', 'a'], {
    ...env,
    ROLLBOOK_URL: 'http://127.0.0.1:9/auth',
  })
  assert.deepEqual([unreachable.code, unreachable.out, unreachable.err], [0, '', ''])

  await t.test('in bash, where a username that is a command is quoted', async () => {
    const { out: script } = await runCommand(['completion', 'bash'])
    const bin = makeDirectory(t)
    symlinkSync(process.execPath, join(bin, 'node'))
    symlinkSync(executable, join(bin, 'rollbook'))
    writeFileSync(join(bin, 'completion.bash'), script)
    const press = async (line: string, ...words: string[]): Promise<string> => {
      const program = `. "$0/completion.bash"
        COMP_LINE=$1 COMP_POINT=\${#1}; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _rollbook
        printf '%s\\n' "\${COMPREPLY[@]}"`
      const child = spawn('bash', ['-c', program, bin, line, ...words], {
        cwd: directory,
        env: { ...env, PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}` },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      return text(child.stdout)
    }
    assert.equal(
      await press('rollbook users get --timeout 60 al', 'rollbook', 'users', 'get', '--timeout', '60', 'al'),
      'alan\nal\\$\\(id\\)\nal\\;id\n',
    )
    const files = ['rollbook', 'users', 'get', '--timeout', '60', ':']
    assert.equal(await press('rollbook users get --timeout 60 :', ...files), 'files\n')
    // Bash splits words at @ and =.
    assert.equal(
      await press(
        'rollbook users get --timeout 60 zoe@ex',
        'rollbook',
        'users',
        'get',
        '--timeout',
        '60',
        'zoe',
        '@',
        'ex',
      ),
      'example.com\n',
    )
    const words = ['rollbook', 'users', 'list', '--output', '=']
    assert.equal(await press('rollbook users list --output=', ...words), 'table\njson\nndjson\ncsv\n')
    for (const open of ['"al', "a'", 'a"l']) {
      assert.equal(await press(`rollbook users get ${open}`, 'rollbook', 'users', 'get', open), '\n', open)
    }
    const escaped = ['rollbook', 'users', 'get', '--timeout', '60', "o\\'"]
    assert.equal(await press("rollbook users get --timeout 60 o\\'", ...escaped), "o\\'brien\n")
  })
})

test('a line is split into words as a shell would', () => {
  const cases: [string, string[]][] = [
    ['rollbook ', ['rollbook', '']],
    ['rollbook  users get', ['rollbook', 'users', 'get']],
    [`a "b c" 'd \\e' f\\ g "h`, ['a', 'b c', 'd \\e', 'f g', 'h']],
  ]
  for (const [line, words] of cases) assert.deepEqual(splitWords(line), words)
})
