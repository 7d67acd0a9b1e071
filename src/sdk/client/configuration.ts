import type { Calls, QueryOf } from './operations.ts'
import type { CallOptions, ChangeOptions, CreateOptions } from './options.ts'
import type { Body } from './transport.ts'
import type { ConfigurationHistory, ConfigurationPlan, Configuration as File } from './types.ts'

export type ConfigurationOptions = ChangeOptions &
  CreateOptions &
  QueryOf<'POST /configuration'> & {
    /** Of a text. Default: `application/yaml`. */
    contentType?: 'application/yaml' | 'application/json' | undefined
  }

/** An apply may write thousands of objects. */
const patientMs = 120_000

/** The configuration as a file. */
export class Configuration {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Returns the file of the running system. */
  get(options: CallOptions = {}): Promise<File> {
    return this.#calls.call('GET /configuration', options)
  }

  /** Returns the same as YAML. */
  async text(options: CallOptions = {}): Promise<string> {
    const headers = { ...options.headers, accept: 'application/yaml' }
    const { body } = await this.#calls.open('GET /configuration', { ...options, headers })
    const decoder = new TextDecoder()
    let text = ''
    for await (const bytes of body) text += decoder.decode(bytes, { stream: true })
    return text + decoder.decode()
  }

  /** Returns what an apply would change, and changes nothing. `etagOf` its result is for `ifMatch` of the apply. */
  plan(file: File | Body, options: ConfigurationOptions = {}): Promise<ConfigurationPlan> {
    return this.apply(file, { ...options, dryRun: true })
  }

  /**
   * Makes the system as the file says: everything or nothing. `secrets` are shown only now.
   *
   * ```ts
   * const plan = await client.configuration.apply({ version: 1, groups: [{ name: 'Support', role: 'user' }] })
   * console.log(plan.created + plan.unchanged) // 1
   * ```
   */
  apply(
    file: File | Body,
    { contentType, allow_delete, source, rotate, ...options }: ConfigurationOptions = {},
  ): Promise<ConfigurationPlan> {
    const isText = isBody(file)
    const type = isText ? (contentType ?? 'application/yaml') : 'application/json'
    return this.#calls.call('POST /configuration', {
      timeoutMs: patientMs,
      ...options,
      query: { allow_delete, source, rotate },
      headers: { ...options.headers, 'content-type': type },
      file: isText ? file : JSON.stringify(file),
    })
  }

  /** Returns the last applies, and what was changed by hand since. */
  history(options: CallOptions = {}): Promise<ConfigurationHistory> {
    return this.#calls.call('GET /configuration/history', options)
  }

  /** Returns the JSON Schema of a file. */
  schema(options: CallOptions = {}): Promise<object> {
    return this.#calls.call('GET /configuration.schema.json', options) as Promise<object>
  }
}

function isBody(file: File | Body): file is Body {
  return (
    typeof file === 'string' || file instanceof Uint8Array || file instanceof Blob || file instanceof ReadableStream
  )
}
