import assert from 'node:assert/strict'
import { execFile, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { etcdConfiguration, haproxyConfiguration, patroniConfiguration } from '../../deploy/ha/lab-files.ts'
import { exitCodes } from '../../src/cli/terminal/exit-codes.ts'
import { loadConfig } from '../../src/core/config.ts'
import { problems } from '../../src/core/errors.ts'
import { version } from '../../src/core/version.ts'
import { findOrUnpack } from '../debian.ts'
import { makeDirectory, startService } from '../durability/process.ts'
import { freePort } from '../free-port.ts'
import { adminKey } from '../harness.ts'
import { startCluster } from '../postgres/cluster.ts'
import { findOrInstallPostgres } from '../postgres/find.ts'
import { dockerfileFaults, type Instruction, readDockerfile } from './dockerfile.ts'
import { root } from './packed.ts'
import { composeFile, manifestShape, misfits } from './shapes.ts'

type Manifest = Record<string, unknown> & { apiVersion: string; kind: string; metadata: { name: string } }
type Service = {
  image: string
  environment: Record<string, string>
  secrets: string[]
  healthcheck?: { test: string[] }
  [option: string]: unknown
}

const run = promisify(execFile)
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const secrets: Record<string, string> = {
  'admin-key': adminKey,
  'database-url': 'postgres://rollbook:secret@database/rollbook',
  'key-encryption-secret': 'a1b2c3d4'.repeat(8),
}
/** As Rollbook reads its settings there: with the secrets in files. */
const configOf = (env: Record<string, string>) =>
  loadConfig(env, (file) => secrets[basename(file)] ?? assert.fail(file))

describe('each way to run it', () => {
  it('gives a start that migrates the store the same 15 minutes', () => {
    assert.match(read('deploy/systemd/rollbook.service'), /^TimeoutStartSec=15min$/m)
    assert.match(read('Dockerfile'), /^HEALTHCHECK .*--start-period=15m /m)
    const { services } = parse(read('deploy/compose.yaml')) as {
      services: { rollbook: { healthcheck: { start_period: string } } }
    }
    assert.equal(services.rollbook.healthcheck.start_period, '15m')
    const deployment = parse(read('deploy/kubernetes/deployment.yaml')) as {
      spec: {
        template: { spec: { containers: { startupProbe: { periodSeconds: number; failureThreshold: number } }[] } }
      }
    }
    const { startupProbe } = deployment.spec.template.spec.containers[0] ?? assert.fail()
    assert.equal(startupProbe.periodSeconds * startupProbe.failureThreshold, 15 * 60)
  })

  it('lets pods call mail servers, directories, providers and databases at their usual ports', () => {
    const policy = parse(read('deploy/kubernetes/networkpolicy.yaml')) as {
      spec: { egress: { ports: { port: number }[] }[] }
    }
    const open = policy.spec.egress.flatMap(({ ports }) => ports.map(({ port }) => port))
    for (const port of [53, 443, 8443, 25, 465, 587, 389, 636, 3268, 3269, 5432, 6432])
      assert.ok(open.includes(port), `${port}`)
  })
})

describe('the Dockerfile', () => {
  const text = read('Dockerfile')
  const instructions = readDockerfile(text)
  const named = (keyword: string, among: readonly Instruction[] = instructions) =>
    among.filter((one) => one.keyword === keyword)
  const stages = named('FROM').map((from, i, all) => {
    const end = all[i + 1] === undefined ? instructions.length : instructions.indexOf(all[i + 1] as Instruction)
    return instructions.slice(instructions.indexOf(from), end)
  })
  const last = stages.at(-1) as Instruction[]

  it('has nothing that its linter would complain of', () => {
    assert.deepEqual(dockerfileFaults(instructions), [])
    for (const [before, after] of [
      ['EXPOSE 8080', 'EXPOSE everything'],
      ['EXPOSE 8080', 'EXPORT 8080'],
      ['WORKDIR /checkout', 'WORKDIR checkout'],
      ['CMD ["serve"]', 'CMD serve'],
      ['ARG NODE_IMAGE', 'ENV NODE_IMAGE'],
    ] as const) {
      assert.equal(dockerfileFaults(readDockerfile(text.replace(before, after))).length, 1, after)
    }
  })

  it('builds on only one image, with an exact version that Rollbook runs on', () => {
    const [image, ...more] = named('ARG').map((one) => one.argument)
    assert.match(image as string, /^NODE_IMAGE=node:24\.(1[2-9]|[2-9]\d)\.\d+-bookworm-slim@sha256:[\da-f]{64}$/)
    assert.deepEqual(more, ['SOURCE_DATE_EPOCH'])
    for (const from of named('FROM')) assert.match(from.argument, /^\$\{NODE_IMAGE\}/)
  })

  it('serves as a user without rights, by number, so that Kubernetes can see it is not root', () => {
    assert.deepEqual(
      named('USER', last).map((one) => one.argument),
      ['1000:1000'],
    )
    assert.ok(
      last.indexOf(named('RUN', last).at(-1) as Instruction) < last.indexOf(named('USER', last)[0] as Instruction),
    )
    assert.equal(named('HEALTHCHECK', last).length, 1)
  })

  it('contains no secret, and takes none from the folder it is built in', () => {
    assert.doesNotMatch(text, /^(ARG|ENV)\s.*(KEY|SECRET|PASSWORD|TOKEN)/m)
    assert.deepEqual(named('ADD'), [])
    for (const one of named('COPY', last)) assert.match(one.argument, /^--from=installed /)
    const ignored = read('.dockerignore').split('\n')
    for (const name of ['.git', 'data', '**/*.env', '**/secrets', '**/node_modules'])
      assert.ok(ignored.includes(name), name)
  })

  it('names only files that the package contains', () => {
    const { files } = JSON.parse(read('package.json')) as { files: string[] }
    const inPackage = [...text.matchAll(/(?:node |\/opt\/rollbook\/)([\w-][\w./-]+\.js)/g)].map(
      ([, file]) => file as string,
    )
    assert.deepEqual(inPackage, ['scripts/warm-up.js', 'bin/rollbook.js', 'deploy/docker/health.js'])
    for (const file of [...inPackage, 'npm-shrinkwrap.json']) {
      assert.ok(
        files.some((one) => file === one || file.startsWith(`${one}/`)),
        file,
      )
    }
  })

  it('starts with its settings on a read-only file system, and its health check succeeds', async (t) => {
    const directory = makeDirectory(t)
    const settings = named('ENV', last)
      .flatMap((one) => one.argument.matchAll(/(ROLLBOOK_\w+)=(\S+)/g))
      .flatMap((matches) => [...matches].map(([, name, value]) => [name, value]))
    assert.deepEqual(Object.fromEntries(settings), { ROLLBOOK_HOST: '0.0.0.0', ROLLBOOK_DATA_DIR: '/var/lib/rollbook' })
    const seal = `around=$(stat -c %m "$0") && mount --bind "$0" "$0" && mount -o remount,ro,bind / &&
        { test "$around" = / || mount -o remount,ro,bind "$around"; } || exit
      touch "$0/../beside" 2>/dev/null && echo "not read-only" >&2 && exit 1
      exec "$@"`
    const through = ['unshare', '--map-root-user', '--mount', 'sh', '-c', seal, directory]
    const service = await startService(t, { directory, env: { ROLLBOOK_HOST: '0.0.0.0' }, through })
    assert.equal((await service.call('POST', '/users', { username: 'ada' })).status, 201)
    const check = (env: Record<string, string>, state: string[] = []) =>
      spawnSync(process.execPath, [join(root, 'deploy/docker/health.js'), ...state], { env, encoding: 'utf8' })
    const { port } = new URL(service.url.replace('0.0.0.0', '127.0.0.1'))
    assert.equal(check({ ROLLBOOK_PORT: port }).status, 0)
    assert.equal(check({ ROLLBOOK_PORT: port }, ['ready']).status, 0)
    assert.equal(check({ ROLLBOOK_PORT: port, ROLLBOOK_BASE_PATH: '/elsewhere' }).status, 1)
    await service.end('SIGTERM')
    assert.match(check({ ROLLBOOK_PORT: port }).stderr, /ECONNREFUSED/)
  })
})

describe('the compose file', () => {
  const { services, secrets: files } = parse(read('deploy/compose.yaml')) as {
    services: { database: Service; rollbook: Service }
    secrets: Record<string, { file: string }>
  }

  it('has no member that Compose does not know, and none of a wrong kind', () => {
    const file = parse(read('deploy/compose.yaml'))
    assert.deepEqual(misfits(file, composeFile), [])
    const { rollbook, database } = file.services
    const spoilt = {
      ...file,
      services: { rollbook: { ...rollbook, readonly: true }, database: { ...database, image: 'postgres' } },
    }
    assert.deepEqual(
      misfits(spoilt, composeFile).map((fault) => fault.split(' ')[0]),
      ['/services/rollbook/readonly', '/services/database/image'],
    )
  })

  it('runs this release with what it needs, and gives it no more', () => {
    const { rollbook, database } = services
    assert.equal(rollbook.image, `rollbook:${version}`)
    assert.deepEqual([rollbook.read_only, rollbook.cap_drop], [true, ['ALL']])
    for (const { security_opt } of [rollbook, database]) assert.deepEqual(security_opt, ['no-new-privileges:true'])
    assert.equal(database.ports, undefined)
    for (const service of [rollbook, database]) {
      for (const value of Object.values(service.environment)) {
        if (value.startsWith('/run/secrets/')) assert.ok(service.secrets.includes(basename(value)), value)
      }
      for (const name of service.secrets) assert.equal(files[name]?.file, `./secrets/${name}`)
    }
    const { environment } = rollbook
    const config = configOf({ ...environment, ROLLBOOK_PUBLIC_URL: 'https://orchard.example.com/auth' })
    assert.equal(config.adminKey, adminKey)
    assert.equal(config.keyEncryptionSecret, secrets['key-encryption-secret'])
  })

  it('creates a role that can serve on its database and do nothing else there', async (t) => {
    const cluster = await startCluster()
    t.after(() => cluster.remove())
    const directory = makeDirectory(t)
    const file = join(directory, 'rollbook-password')
    // What has a meaning for a shell, for SQL or for psql must stay what it is.
    const password = `it's "$HOME" \\ :x`
    writeFileSync(file, `${password}\n`)
    const admin = new URL(cluster.url({ database: 'postgres' }))
    const bin = (await findOrInstallPostgres()) as string
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      PGHOST: '127.0.0.1',
      PGPORT: String(cluster.port),
      PGPASSWORD: decodeURIComponent(admin.password),
      POSTGRES_USER: 'postgres',
      POSTGRES_DB: 'postgres',
      ROLLBOOK_PASSWORD_FILE: file,
    }
    const { stderr } = await run('sh', [join(root, 'deploy/postgresql/make-role.sh')], { env })
    assert.equal(stderr, '')
    const url = cluster.url({ database: 'postgres', user: 'rollbook', password })
    const service = await startService(t, { directory, env: { ROLLBOOK_DATABASE_URL: url } })
    assert.equal((await service.call('POST', '/users', { username: 'ada' })).status, 201)
    const forbidden = [
      'CREATE SCHEMA other',
      'CREATE ROLE other',
      'CREATE DATABASE other',
      'CREATE TABLE public.other ()',
    ]
    for (const statement of forbidden) {
      const psql = run('psql', ['--no-psqlrc', '--set=ON_ERROR_STOP=1', `--command=${statement}`, url], { env })
      await assert.rejects(psql, /permission denied/, statement)
    }
  })
})

describe('the systemd unit', () => {
  const file = join(root, 'deploy/systemd/rollbook.service')
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^\w/.test(line))
  const settings = lines.flatMap((line) =>
    [...line.matchAll(/^Environment=(\w+)=(.*)$/g)].map(([, name, value]) => [name, value]),
  )

  it('starts what the package contains, with settings that exist', () => {
    const [start] = lines.flatMap((line) => /^ExecStart=(.*)$/.exec(line)?.[1] ?? [])
    assert.match(
      start as string,
      /^\/usr\/bin\/node --max-semi-space-size=8 --v8-pool-size=2 --expose-gc \S+\/rollbook\/bin\/rollbook\.js serve$/,
    )
    const env = Object.fromEntries(settings)
    assert.equal(configOf(env).dataDir, '/var/lib/rollbook')
    assert.ok(lines.includes('StateDirectory=rollbook') && env.NODE_COMPILE_CACHE === '/var/cache/rollbook')
    assert.equal(configOf(env).keyEncryptionSecret, secrets['key-encryption-secret'])
  })

  it('does not restart on a wrong setting, nor forever', async (t) => {
    assert.ok(lines.includes(`RestartPreventExitStatus=${exitCodes.misconfigured}`))
    assert.ok(lines.some((line) => /^StartLimitBurst=\d+$/.test(line)))
    const env = { ...process.env, ROLLBOOK_DATA_DIR: makeDirectory(t), ROLLBOOK_PORT: 'http' }
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'bin/rollbook.js')], { env, encoding: 'utf8' })
    assert.equal(status, exitCodes.misconfigured)
    assert.match(stderr, /ROLLBOOK_PORT/)
  })

  it('counts as started when the service listens, and hears when it stops', async (t) => {
    assert.ok(lines.includes('Type=notify') && lines.includes('NotifyAccess=all'))
    const directory = makeDirectory(t)
    // The message itself is the business of systemd's program.
    const reportPath = join(directory, 'told')
    writeFileSync(join(directory, 'systemd-notify'), `#!/bin/sh\necho "$@" >>'${reportPath}'\n`, { mode: 0o755 })
    const env = { PATH: `${directory}:${process.env.PATH}`, NOTIFY_SOCKET: '/run/systemd/notify' }
    const service = await startService(t, { directory: makeDirectory(t), env })
    await service.end('SIGTERM')
    assert.match(readFileSync(reportPath, 'utf8'), /^--ready --pid=(\d+)\n--stopping --pid=\1\n$/)
  })

  it('creates its encryption secret once', (t) => {
    const unit = read('deploy/systemd/rollbook-secret.service')
    const [, command = ''] = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(unit) ?? []
    const directory = makeDirectory(t)
    const { status, stderr } = spawnSync('sh', ['-c', command.replaceAll('/etc/rollbook', directory)], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    const secret = readFileSync(join(directory, 'key-encryption-secret'), 'utf8').trim()
    assert.equal(Buffer.from(secret, 'base64').length, 32)
    assert.equal(loadConfig({ ROLLBOOK_KEY_ENCRYPTION_SECRET: secret }).keyEncryptionSecret, secret)
    assert.match(unit, /^ConditionPathExists=!\/etc\/rollbook\/key-encryption-secret$/m)
  })

  const missing = spawnSync('systemd-analyze', ['--version']).error !== undefined && 'there is no systemd'
  it('is understood by systemd, which finds little exposed', { skip: missing }, async () => {
    const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    // It also looks for the programs, which are elsewhere here.
    assert.doesNotMatch(verified.stderr, /rollbook\.service:\d+|Unknown|Failed to parse/)
    await run('systemd-analyze', ['security', '--offline=yes', '--threshold=13', file]).catch((error) =>
      assert.fail(error.stdout),
    )
  })
})

describe('the files for high availability', () => {
  const folder = 'deploy/ha'

  it('are complete as they are, without a secret', () => {
    for (const name of ['haproxy.cfg', 'patroni.yml', 'etcd.yml']) {
      assert.doesNotMatch(read(`${folder}/${name}`), /\$\{|^\s*password/m, name)
    }
    const patroni = parse(read(`${folder}/patroni.yml`))
    assert.deepEqual(patroni.postgresql.pg_hba, patroni.bootstrap.pg_hba)
  })

  it('are accepted by HAProxy, and so is what the lab makes of them', async (t) => {
    const haproxy = await findOrUnpack({ name: 'haproxy', variable: 'HAPROXY_PATH' })
    if (haproxy === undefined) return t.skip('there is no haproxy')
    const ports = (base: number) => ({ postgres: base, patroni: base + 1, etcd: base + 2, etcdPeer: base + 3 })
    const lab = {
      machines: ['pg1', 'pg2', 'pg3'].map((name, i) => ({ name, ports: ports(17_410 + 10 * i) })),
      doors: { postgres: 17_400, http: 17_401, status: 17_402 },
      nodes: [17_451, 17_452],
    }
    const file = join(makeDirectory(t), 'haproxy.cfg')
    writeFileSync(file, haproxyConfiguration(lab))
    for (const one of [join(root, folder, 'haproxy.cfg'), file]) {
      const verdict: SpawnSyncReturns<string> = spawnSync(haproxy, ['-c', '-f', one], { encoding: 'utf8' })
      assert.equal(verdict.status, 0, verdict.stderr)
    }
    const machine = { name: 'pg2', folder: '/lab', postgresBin: '/bin', loopback: lab }
    assert.match(patroniConfiguration(machine), /^name: pg2$/m)
    assert.match(etcdConfiguration(machine), /^listen-peer-urls: http:\/\/127\.0\.0\.1:17423$/m)
  })
})

describe('the Kubernetes manifests', () => {
  const folder = 'deploy/kubernetes'
  const manifests = globSync('*.yaml', { cwd: join(root, folder) })
    .filter((name) => name !== 'kustomization.yaml')
    .sort()
    .map((name) => ({ name, manifest: parse(read(`${folder}/${name}`)) as Manifest }))
  const of = <T>(kind: string) => manifests.find(({ manifest }) => manifest.kind === kind)?.manifest as T
  type Probe = { httpGet: { path: string; port: string } }
  const pod = of<{
    spec: {
      replicas: number
      selector: { matchLabels: Record<string, string> }
      template: {
        metadata: { labels: Record<string, string> }
        spec: {
          securityContext: Record<string, unknown>
          containers: [
            {
              image: string
              env: { name: string; value: string }[]
              ports: { name: string; containerPort: number }[]
              securityContext: Record<string, unknown>
              startupProbe: Probe
              readinessProbe: Probe
              livenessProbe: Probe
            },
          ]
        }
      }
    }
  }>('Deployment').spec
  const { spec, metadata } = pod.template
  const [container] = spec.containers
  const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]))

  it('fit the schemas of Kubernetes, and are all listed', () => {
    for (const { manifest } of manifests) assert.deepEqual(misfits(manifest, manifestShape(manifest)), [])
    const deployment = of<Manifest>('Deployment')
    for (const spec of [
      { ...pod, replicas: 'two' },
      { ...pod, replica: 2 },
      { ...pod, selector: undefined },
    ]) {
      assert.equal(misfits({ ...deployment, spec }, manifestShape(deployment)).length, 1)
    }
    const { resources } = parse(read(`${folder}/kustomization.yaml`)) as { resources: string[] }
    assert.deepEqual(
      resources,
      manifests.map(({ name }) => name),
    )
    for (const { manifest } of manifests)
      assert.equal((manifest.metadata as { namespace?: string }).namespace, undefined)
  })

  it('belong together', () => {
    const labels = metadata.labels
    assert.deepEqual(pod.selector.matchLabels, labels)
    const service = of<{ spec: { selector: object; ports: { name: string; targetPort: string }[] } }>('Service').spec
    assert.deepEqual(service.selector, labels)
    assert.equal(service.ports[0]?.targetPort, container.ports[0]?.name)
    const budget = of<{ spec: { selector: { matchLabels: object } } }>('PodDisruptionBudget').spec
    assert.deepEqual(budget.selector.matchLabels, labels)
    const policy = of<{ spec: { podSelector: { matchLabels: object } } }>('NetworkPolicy').spec
    assert.deepEqual(policy.podSelector.matchLabels, labels)
    type Path = { path: string; pathType: string; backend: object }
    type Ingress = { spec: { rules: [{ host: string; http: { paths: [Path] } }] } }
    const ingresses = manifests.filter(({ manifest }) => manifest.kind === 'Ingress')
    const rules = ingresses.map(({ manifest }) => (manifest as unknown as Ingress).spec.rules[0])
    assert.equal(rules[0]?.host, rules[1]?.host)
    const backend = { service: { name: 'rollbook', port: { name: 'http' } } }
    assert.deepEqual(
      rules.map(({ http }) => http.paths[0]),
      [
        { path: '/auth/users/import', pathType: 'Exact', backend },
        { path: '/auth', pathType: 'Prefix', backend },
      ],
    )
  })

  it('run this release on two nodes, as the user of the image, without write access', () => {
    assert.deepEqual([pod.replicas, container.image], [2, `rollbook:${version}`])
    assert.equal(spec.securityContext.runAsNonRoot, true)
    assert.match(read('Dockerfile'), new RegExp(`^USER ${spec.securityContext.runAsUser}:`, 'm'))
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  it('have a response of their own while no node is ready, if the controller can request it', async (t) => {
    type Unavailable = {
      metadata: { name: string; annotations: Record<string, string> }
      // biome-ignore lint/suspicious/noExplicitAny: a Service or a Deployment.
      spec: any
    }
    const named = (file: string) => manifests.find(({ name }) => name === file)?.manifest as unknown as Unavailable
    const service = named('unavailable-service.yaml')
    const { template, selector } = named('unavailable-deployment.yaml').spec
    for (const file of ['ingress.yaml', 'ingress-import.yaml']) {
      const { annotations } = named(file).metadata
      assert.equal(annotations['nginx.ingress.kubernetes.io/default-backend'], service.metadata.name)
      // A 503 is Rollbook's own, and says why.
      assert.equal(annotations['nginx.ingress.kubernetes.io/custom-http-errors'], '502,504')
    }
    assert.deepEqual(service.spec.selector, template.metadata.labels)
    assert.deepEqual(selector.matchLabels, template.metadata.labels)
    assert.notDeepEqual(template.metadata.labels, metadata.labels)
    const [only] = template.spec.containers
    assert.deepEqual([only.image, only.securityContext], [container.image, container.securityContext])

    const [command, file] = only.command as [string, string]
    assert.equal(command, 'node')
    const port = await freePort()
    const settings = { ROLLBOOK_PORT: String(port), ROLLBOOK_HOST: '127.0.0.1' }
    const server = spawn(process.execPath, [file.replace('/opt/rollbook', root)], { env: settings, stdio: 'inherit' })
    const whenEnded = once(server, 'exit')
    t.after(() => server.kill('SIGKILL'))
    const deadline = AbortSignal.timeout(60_000)
    const request = (options: RequestInit): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/auth/users/import`, options).catch(async (error) => {
        deadline.throwIfAborted()
        if (error.cause?.code !== 'ECONNREFUSED') throw error
        await sleep(20)
        return request(options)
      })
    for (const options of [{}, { method: 'POST', body: 'x'.repeat(2_000_000) }]) {
      const response = await request(options)
      assert.deepEqual([response.status, response.headers.get('content-type')], [503, 'application/problem+json'])
      assert.equal(response.headers.get('retry-after'), '5')
      const { type, title, status, code } = (await response.json()) as Record<string, unknown>
      assert.deepEqual([type, status, code], ['/auth/docs/problems#rollbook_unavailable', 503, 'rollbook_unavailable'])
      assert.equal(title, problems.rollbook_unavailable[1])
    }
    server.kill('SIGTERM')
    assert.deepEqual(await whenEnded, [0, null])
  })

  it('trust a few addresses about who calls, not the pods of the product', () => {
    const networks = env.ROLLBOOK_TRUSTED_PROXIES?.split(',') ?? []
    assert.ok(networks.length > 0)
    for (const network of networks) assert.ok(Number(network.split('/')[1]) >= 24, network)
  })

  it('use settings that exist', () => {
    assert.equal(configOf(env).adminKey, adminKey)
    assert.equal(configOf(env).keyEncryptionSecret, secrets['key-encryption-secret'])
  })

  it('let Prometheus reach the metrics, and the nodes the database, on any port that leads to it', () => {
    type Rules = { from?: object[]; to?: object[]; ports: { port: string | number }[] }[]
    const { ingress, egress } = of<{ spec: { ingress: Rules; egress: Rules } }>('NetworkPolicy').spec
    const metrics = container.ports.find(({ name }) => name === 'metrics')
    assert.equal(String(metrics?.containerPort), env.ROLLBOOK_METRICS_PORT)
    assert.deepEqual(
      ingress.filter(({ ports }) => ports.some(({ port }) => port === 'metrics')).map(({ from }) => from?.length),
      [1],
    )
    const [, database] = /127\.0\.0\.1:(\d+)\/rollbook/.exec(read('docs/high-availability.md')) ?? []
    const open = egress.flatMap(({ ports }) => ports.map(({ port }) => String(port)))
    assert.ok(open.includes('5432') && open.includes(database as string), open.join())
  })

  it('probe what the service responds to', async (t) => {
    const service = await startService(t, { directory: makeDirectory(t) })
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      assert.equal(probe.httpGet.port, container.ports[0]?.name)
      assert.equal((await fetch(new URL(probe.httpGet.path, service.url))).status, 200)
    }
  })
})
