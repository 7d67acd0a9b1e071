/** Lints the OpenAPI document as the running product would serve it. Any finding, a warning too, is a failure. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import pino from 'pino'
import { buildApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import { rulesOf } from '../src/context.ts'
import { openSqliteStorage } from '../src/storage/sqlite.ts'

type Finding = { rule: string; place: string; message: string }

async function openApiDocument(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-lint-'))
  const config = loadConfig({})
  const { writeQueue, maxSnapshots } = config
  const onFault = (error: Error) => {
    throw error
  }
  const storage = await openSqliteStorage({
    directory,
    rules: rulesOf(config),
    now: 0,
    writeQueue,
    maxSnapshots,
    onFault,
  })
  try {
    const { fastify } = await buildApp({ config, storage, log: pino({ enabled: false }), cores: 1 })
    const answer = await fastify.inject(`${config.basePath}/openapi.json`)
    await fastify.close()
    if (answer.statusCode !== 200) throw new Error(`openapi.json answered ${answer.statusCode}: ${answer.body}`)
    return answer.body
  } finally {
    await storage.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function spectral(text: string): Promise<Finding[]> {
  const linter = new spectralCore.Spectral()
  // Operations carry no tag on purpose: the promised links (`docs#/default/…`) are what Swagger UI makes of that. The
  // rule does not take an empty array for an answer either.
  const oas = spectralRulesets.oas as RulesetDefinition // Its own types do not fit those of the package beside it.
  linter.setRuleset({ extends: [oas], rules: { 'operation-tags': 'off' } })
  const results = await linter.run(text)
  return results.map(({ code, path, message }) => ({ rule: `spectral ${code}`, place: path.join('.'), message }))
}

async function redocly(text: string): Promise<Finding[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const results = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  return results.map(({ ruleId, location, message }) => ({
    rule: `redocly ${ruleId}`,
    place: location.map(({ pointer }) => pointer).join(' '),
    message,
  }))
}

const text = await openApiDocument()
const findings = [...(await spectral(text)), ...(await redocly(text))]
for (const { rule, place, message } of findings) console.error(`${rule}\n  at ${place}\n  ${message}`)
if (findings.length > 0) process.exitCode = 1
else console.log('openapi.json: no findings from Spectral (spectral:oas) and Redocly (recommended)')
