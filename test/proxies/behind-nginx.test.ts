/** The apps of docs/behind-nginx.md and the verifiers of docs/verify-any-language.md, run as those pages say. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findFiles } from '../debian.ts'
import { freePort } from '../free-port.ts'
import { anyEngine, start } from '../harness.ts'
import { createPerson, openBrowser } from '../people.ts'
import { navigation, send } from './client.ts'
import { findProxy } from './find.ts'
import { startProxy } from './proxy.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const examples = join(root, 'examples/behind-nginx')
const python = '/usr/bin/python3'
const packages = ['python3-fastapi', 'python3-uvicorn', 'python3-django', 'python3-jwt', 'python3-cryptography']
const libraries = existsSync(python) ? await findFiles('python', packages) : undefined
const pythonEnv = { PYTHONPATH: `${libraries}/usr/lib/python3/dist-packages`, PYTHONDONTWRITEBYTECODE: '1' }
const skipPython = libraries === undefined && 'there is no Debian Python with these libraries'
// 80 MB to download, so only where it is installed.
const go = process.env.GO_PATH ?? ['/usr/bin/go', '/usr/local/go/bin/go'].find((file) => existsSync(file))
const skipGo = go === undefined && 'there is no Go: install it or name it in GO_PATH'
const scratch = mkdtempSync(join(tmpdir(), 'rollbook-apps-'))
after(() => rmSync(scratch, { recursive: true }))
const goEnv = { ...process.env, GO111MODULE: 'off', CGO_ENABLED: '0', GOCACHE: join(root, 'node_modules/.cache/go') }
if (go !== undefined) {
  await run(go, ['build', '-o', join(scratch, 'app'), 'main.go'], { cwd: examples, env: goEnv })
}
const skipNginx = (await findProxy('nginx')) === undefined && 'there is no nginx'

type App = { file: string; command: (port: number) => string[]; isPython?: boolean }

const apps: Record<string, App> = {
  Express: { file: 'express.ts', command: () => [process.execPath, 'express.ts'] },
  ...(go !== undefined && { Go: { file: 'main.go', command: () => [join(scratch, 'app')] } }),
  FastAPI: {
    file: 'fastapi_app.py',
    command: (port) => [python, '-m', 'uvicorn', 'fastapi_app:app', '--port', String(port)],
    isPython: true,
  },
  Django: {
    file: 'django_app.py',
    command: (port) => [python, 'django_app.py', 'runserver', '--noreload', `127.0.0.1:${port}`],
    isPython: true,
  },
}

for (const [name, { file, command, isPython = false }] of Object.entries(apps)) {
  describe(`an app on ${name} behind nginx`, { skip: skipNginx || (isPython && skipPython) }, () => {
    it('is what the page shows, and knows its callers', async (t) => {
      const code = readFileSync(join(examples, file), 'utf8')
      assert.ok(readFileSync(join(root, 'docs/behind-nginx.md'), 'utf8').includes(code), file)
      const [port, product] = [await freePort(), await freePort()]
      await startApp(t, command(product), product)
      const origin = `http://127.0.0.1:${port}`
      const env = {
        ROLLBOOK_PUBLIC_URL: `${origin}/auth`,
        ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1',
        ROLLBOOK_ROLES: '{"analyst": ["reports:read"]}',
      }
      const app = await start(t, anyEngine, { env })
      const rollbook = Number(new URL(await app.listen()).port)
      await startProxy(t, { name: 'nginx', prefix: 'keeps' }, { proxy: port, rollbook, product })

      const unknown = await send(`${origin}/whoami`, { headers: navigation })
      assert.match(`${unknown.status} ${unknown.headers.location}`, /^302 .*\/auth\/login\?return_to=/)
      assert.equal((await send(`${origin}/whoami`, { headers: { 'Remote-User': 'admin' } })).status, 401)
      const analyst = await createPerson(app, { username: 'jürgen', role: 'analyst' })
      const { cookie } = await openBrowser(app, 'jürgen')
      const known = await send(`${origin}/whoami`, { headers: { cookie, 'Remote-User': 'admin' } })
      assert.deepEqual([known.status, known.json()], [200, { user: 'jürgen', id: analyst.user_id }])
      assert.deepEqual((await send(`${origin}/reports`, { headers: { cookie } })).json(), ['Apples picked'])
      await createPerson(app, { username: 'margaret' })
      const { cookie: other } = await openBrowser(app, 'margaret')
      assert.equal((await send(`${origin}/reports`, { headers: { cookie: other } })).status, 403)
      assert.equal((await send(`http://127.0.0.1:${product}/whoami`)).status, 401, 'past the proxy')
    })
  })
}

/** A real token, and what others could make of it. */
async function tokensOf(t: TestContext) {
  const app = await start(t, anyEngine)
  const url = await app.listen()
  const { body } = await app.call('POST', '/token')
  const token = body.access_token as string
  const [header = '', claims = '', signature = ''] = token.split('.')
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const decoded = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const forged = [
    `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${claims}.`,
    `${encode({ alg: 'EdDSA', typ: 'JWT', kid })}.${claims}.${signature}`,
    `${header}.${encode({ ...decoded, sub: 'root' })}.${signature}`,
    `${header}.${claims}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
  ]
  return { url, token, forged, claims: decoded as { iss: string; aud: string; sub: string } }
}

it('the Python verifier accepts real tokens and refuses forged ones', { skip: skipPython }, async (t) => {
  const code = readFileSync(join(root, 'examples/verify-tokens/verify_token.py'), 'utf8')
  assert.ok(readFileSync(join(root, 'docs/verify-any-language.md'), 'utf8').includes(code))
  const { url, token, forged, claims } = await tokensOf(t)
  const program = [
    'import sys, jwt, verify_token',
    'url, issuer, audience, *tokens = sys.argv[1:]',
    'verifier = verify_token.Verifier(issuer, audience)',
    'verifier.keys = jwt.PyJWKClient(url + "/.well-known/jwks.json")',
    'for token in tokens:',
    '    try: print(verifier.verify(token)["sub"])',
    '    except jwt.PyJWTError: print("refused")',
  ].join('\n')
  const judge = async (audience: string, tokens: string[]) => {
    const { stdout } = await run(python, ['-c', program, url, claims.iss, audience, ...tokens], {
      cwd: join(root, 'examples/verify-tokens'),
      env: pythonEnv,
    })
    return stdout.trim().split('\n')
  }
  assert.deepEqual(await judge(claims.aud, [token, ...forged]), [claims.sub, ...forged.map(() => 'refused')])
  assert.deepEqual(await judge('https://other.example.com', [token]), ['refused'])
})

it('the Go verifier accepts real tokens and refuses forged ones', { skip: skipGo }, async (t) => {
  const { url, token, forged, claims } = await tokensOf(t)
  const folder = mkdtempSync(join(scratch, 'go-'))
  copyFileSync(join(root, 'examples/verify-tokens/verify_token.go'), join(folder, 'verify_token.go'))
  const program = `package verifytoken
import ("fmt"; "os"; "strings"; "testing"; "time")
func TestAll(t *testing.T) {
	keys, err := ReadKeys([]byte(os.Getenv("JWKS")))
	if err != nil { t.Fatal(err) }
	for _, token := range strings.Fields(os.Getenv("TOKENS")) {
		claims, err := Verify(token, os.Getenv("ISS"), os.Getenv("AUD"), keys, time.Now())
		if err != nil { fmt.Println("> refused") } else { fmt.Println("> " + claims.Subject) }
		_, err = Verify(token, os.Getenv("ISS"), "https://other.example.com", keys, time.Now())
		if err == nil { t.Fatal("another audience") }
		_, err = Verify(token, os.Getenv("ISS"), os.Getenv("AUD"), keys, time.Now().Add(time.Hour))
		if err == nil { t.Fatal("expired") }
	}
}`
  writeFileSync(join(folder, 'verify_token_test.go'), program)
  const jwks = await (await fetch(`${url}/.well-known/jwks.json`)).text()
  const env = { ...goEnv, JWKS: jwks, TOKENS: [token, ...forged].join(' '), ISS: claims.iss, AUD: claims.aud }
  const { stdout } = await run(go as string, ['test', '-v', '.'], { cwd: folder, env })
  const judged = [...stdout.matchAll(/^> (.*)$/gm)].map(([, one]) => one)
  assert.deepEqual(judged, [claims.sub, ...forged.map(() => 'refused')])
})

async function startApp(t: TestContext, [program = '', ...args]: string[], port: number): Promise<void> {
  const child = spawn(program, args, {
    cwd: examples,
    env: { PATH: process.env.PATH, PORT: String(port), ...pythonEnv },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    said += part
  })
  t.after(async () => {
    if (child.kill()) await once(child, 'exit')
  })
  const deadline = Date.now() + 60_000
  while (
    !(await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ))
  ) {
    assert.ok(child.exitCode === null && Date.now() < deadline, said)
    await sleep(50)
  }
}
