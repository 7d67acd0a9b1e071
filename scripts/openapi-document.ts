/** The OpenAPI document of a service without any configuration, for what is made from it or checks it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { buildApp } from '../src/app/app.ts'
import { handlers } from '../src/app/handlers.ts'
import { loadConfig } from '../src/core/config.ts'
import type { Access } from '../src/core/permissions.ts'
import { rulesOf } from '../src/core/rules.ts'
import type { OpenApiDocument } from '../src/http/endpoint/openapi.ts'
import { loadTemplates } from '../src/record/mails/templates/templates.ts'
import { openSqliteStorage } from '../src/store/sqlite/storage.ts'

type Described = {
  document: OpenApiDocument
  /** The document as the running service sends it. */
  text: string
  /** The document for client generators. */
  sdkText: string
  /** What each operation needs, by operationId. */
  access: ReadonlyMap<string, Access>
}

export async function openApiDocument(): Promise<Described> {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-openapi-'))
  const config = loadConfig({})
  const { writeQueue, maxSnapshots } = config
  const onFault = (error: Error) => {
    throw error
  }
  const storage = await openSqliteStorage({
    handlers,
    directory,
    rules: rulesOf(config),
    now: 0,
    writeQueue,
    maxSnapshots,
    onFault,
    onEvent() {},
  })
  try {
    const { fastify, document, access } = await buildApp({
      config,
      storage,
      log: pino({ enabled: false }),
      templates: loadTemplates(config.mailTemplates, config.mailLocale),
      cores: 1,
    })
    const read = async (name: string) => {
      const { statusCode, body } = await fastify.inject(`${config.basePath}/${name}`)
      if (statusCode !== 200) throw new Error(`${name} answered ${statusCode}: ${body}`)
      return body
    }
    const [text, sdkText] = [await read('openapi.json'), await read('openapi.sdk.json')]
    await fastify.close()
    return { document: document(), text, sdkText, access }
  } finally {
    await storage.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
