/** The response that arrived, and the responses that are documented. */
import { useState } from 'react'
import { Code } from './code.tsx'
import type { ApiResponse, Operation } from './document.ts'
import { Markdown } from './markdown.tsx'
import { exampleOf, type Schemas, typeOf } from './schema.ts'
import { SchemaView } from './schema-view.tsx'
import { type Answer as Received, readable } from './send.ts'

type AnswerProps = {
  state: 'idle' | 'running' | 'done' | 'failed'
  url: string
  received: Received | undefined
  operationId: string
}

export function Answer({ state, url, received: answer, operationId }: AnswerProps) {
  if (state === 'idle') return null
  const isFollowed = answer !== undefined && /event-stream/.test(answer.contentType)
  if (state === 'running' && !isFollowed) {
    return (
      <p className="loading-container hint" role="status">
        {answer === undefined ? 'Waiting for the response …' : `Receiving the response: ${sizeOf(answer.text)} …`}
      </p>
    )
  }
  if (answer === undefined) {
    return (
      <p className="fault" role="alert">
        No response. Check that the service runs and can be reached at <code>{new URL(url).origin}</code>.
      </p>
    )
  }
  const { status, headers, text, contentType, ms, state: progress } = answer
  const readableText = readable(answer)
  return (
    <section className="live" aria-label="Server response" aria-live="polite">
      <div className="request-url">
        <h5>Request URL</h5>
        <pre className="microlight">{url}</pre>
      </div>
      <table className="responses-table live-responses-table">
        <thead>
          <tr>
            <th>Code</th>
            <th>Details</th>
          </tr>
        </thead>
        <tbody>
          <tr className="response" data-code={status}>
            <td className="response-col_status">
              <span className={`status status-${String(status)[0]}`}>{status}</span>
            </td>
            <td className="response-col_description">
              <p className="hint" role="status">
                {Math.round(ms)} ms, {sizeOf(text)}
                {
                  { arriving: ', still arriving', whole: '', cut: ', only the beginning', stopped: ', stopped' }[
                    progress
                  ]
                }
                {state === 'failed' && ', then the connection broke off'}
              </p>
              {text !== '' && (
                <>
                  <h5>Response body</h5>
                  <Code text={readableText} label="Response body" isJson={/json/.test(contentType)}>
                    <DownloadButton text={text} contentType={contentType} name={operationId} />
                  </Code>
                </>
              )}
              <h5>Response headers</h5>
              <pre className="microlight headers">
                {headers.map(([name, value]) => (
                  <span key={name} className="headerline">{`${name}: ${value}\n`}</span>
                ))}
              </pre>
            </td>
          </tr>
        </tbody>
      </table>
    </section>
  )
}

function sizeOf(text: string): string {
  const bytes = new Blob([text]).size
  return bytes < 10_000 ? `${bytes} bytes` : `${Math.round(bytes / 1000)} kB`
}

function DownloadButton({ text, contentType, name }: { text: string; contentType: string; name: string }) {
  const ending = /csv/.test(contentType)
    ? 'csv'
    : /ndjson/.test(contentType)
      ? 'ndjson'
      : /json/.test(contentType)
        ? 'json'
        : 'txt'
  const download = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: contentType }))
    link.download = `${name}.${ending}`
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <button type="button" className="quiet-button download-contents" onClick={download}>
      Download
    </button>
  )
}

type ResponsesProps = { operation: Operation; schemas: Schemas; api: string }

export function Responses({ operation, schemas, api }: ResponsesProps) {
  return (
    <section className="responses-wrapper">
      <div className="opblock-section-header">
        <h5>Responses</h5>
      </div>
      <table className="responses-table">
        <thead className="visually-hidden">
          <tr>
            <th>Code</th>
            <th>Description</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(operation.responses).map(([status, response]) => (
            <ResponseRow key={status} status={status} response={response} schemas={schemas} api={api} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

type RowProps = { status: string; response: ApiResponse; schemas: Schemas; api: string }

function ResponseRow({ status, response, schemas, api }: RowProps) {
  const [view, setView] = useState<'example' | 'schema'>()
  const { description, headers = {}, content = {} } = response
  const [type, media] = Object.entries(content)[0] ?? []
  const isProblem = type === 'application/problem+json'
  const toggle = (what: 'example' | 'schema') => (
    <button
      type="button"
      className="quiet-button"
      aria-expanded={view === what}
      onClick={() => setView(view === what ? undefined : what)}
    >
      {what === 'example' ? 'Example' : 'Schema'}
    </button>
  )
  const example = view === 'example' && media !== undefined ? exampleOf(media, schemas) : undefined
  return (
    <tr className="response" data-code={status}>
      <td className="response-col_status">
        <span className={`status status-${status[0]}`}>{status}</span>
      </td>
      <td className="response-col_description">
        <Markdown text={isProblem ? problemLines(description, api) : description} />
        {Object.entries(headers).map(([name, header]) => (
          <p key={name} className="schema-limits">
            <code>{name}</code>: {header.schema && typeOf(header.schema, schemas)} {header.description}
          </p>
        ))}
        {media !== undefined && (
          <p className="response-controls">
            <code>{Object.keys(content).join(', ')}</code> {toggle('example')} {media.schema && toggle('schema')}
          </p>
        )}
        {example !== undefined && (
          <Code
            text={typeof example === 'string' ? example : JSON.stringify(example, null, 2)}
            label={`Example of response ${status}`}
            isJson
          />
        )}
        {view === 'schema' && media?.schema !== undefined && <SchemaView schema={media.schema} schemas={schemas} />}
      </td>
    </tr>
  )
}

/** A line for each code, which links to its explanation: "`code`: Sentence. `other`: Sentence." */
function problemLines(description: string, api: string): string {
  return description
    .split(/ (?=`\w+`: )/)
    .map((one) => one.replace(/^`(\w+)`: /, `[\`$1\`](${api}/docs/problems#$1): `))
    .join('  \n')
}
