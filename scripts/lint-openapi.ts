/** Lints the OpenAPI document as the running product would serve it. Any finding, a warning too, is a failure. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { openApiDocument } from './openapi-document.ts'

/** Beyond the recommended rules. */
const rules = { 'info-contact': 'error', 'operation-description': 'error' } as const

const { text, sdkText } = await openApiDocument()
const findings = [
  // Its operations carry no tag on purpose: the promised links (`docs#/default/…`) name the group of untagged operations.
  ...(await lint(text, rules)),
  ...(await lint(sdkText, { ...rules, 'operation-tag-defined': 'error' })),
]
for (const { ruleId, location, message } of findings) {
  console.error(`${ruleId}\n  at ${location.map(({ pointer }) => pointer).join(' ')}\n  ${message}`)
}
if (findings.length > 0) process.exitCode = 1
else console.log('openapi.json and openapi.sdk.json: no findings from Redocly')

async function lint(source: string, rules: Record<string, 'error'>) {
  const config = await createConfig({ extends: ['recommended'], rules })
  return lintFromString({ source, absoluteRef: 'openapi.json', config })
}
