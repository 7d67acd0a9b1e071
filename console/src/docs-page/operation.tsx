/** One operation: a row, and below it when open its description, a form to send it, examples and responses. */
import { type Dispatch, type RefObject, type SetStateAction, useEffect, useRef, useState } from 'react'
import { Code } from './code.tsx'
import type { Operation, Parameter } from './document.ts'
import { type ExampleForm, Examples } from './examples.tsx'
import {
  acceptable,
  bodyExample,
  type Credential,
  callOf,
  emptyForm,
  type Form,
  keyOf,
  missingIn,
  requestOf,
} from './form.ts'
import { Markdown } from './markdown.tsx'
import { ParameterRow } from './parameter-row.tsx'
import { Answer, Responses } from './responses.tsx'
import type { Schemas } from './schema.ts'
import { SchemaView } from './schema-view.tsx'
import { type Answer as Received, send } from './send.ts'

/** State shared by all operations of the page. */
export type Shared = {
  api: string
  schemas: Schemas
  credential: Credential | undefined
  /** Ids of what was created on this page last, by parameter name: `user_id`. */
  createdIds: Readonly<Record<string, string>>
  onCreated: (ids: Record<string, string>) => void
  exampleForm: ExampleForm
  onExampleForm: (form: ExampleForm) => void
}
type Props = { operation: Operation; shared: Shared; isOpen: boolean; isHidden: boolean; onToggle: () => void }

export function OperationBlock({ operation, shared, isOpen, isHidden, onToggle }: Props) {
  const { operationId, method, path, summary } = operation
  return (
    <div
      className={`opblock opblock-${method.toLowerCase()} ${isOpen ? 'is-open' : ''}`}
      id={`operations-default-${operationId}`}
      hidden={isHidden}
    >
      <div className="opblock-summary">
        <h4>
          <button type="button" className="opblock-summary-control" aria-expanded={isOpen} onClick={onToggle}>
            <span className="opblock-summary-method">{method}</span>{' '}
            <span className="opblock-summary-path" data-path={path}>
              {path}
            </span>{' '}
            <span className="opblock-summary-description">{summary}</span>
          </button>
        </h4>
        <a className="nostyle permalink" href={`#/default/${operationId}`} aria-label={`Link to ${summary}`}>
          #
        </a>
      </div>
      {isOpen && <Body operation={operation} shared={shared} />}
    </div>
  )
}

type Run = { state: 'idle' | 'running' | 'done' | 'failed'; url: string; received: Received | undefined }
const notRun: Run = { state: 'idle', url: '', received: undefined }

/** Fills the parameters of the path with the ids of what was created on this page. */
function useCreatedIds(
  parameters: readonly Parameter[],
  createdIds: Shared['createdIds'],
  setForm: Dispatch<SetStateAction<Form>>,
): void {
  useEffect(() => {
    const ids = parameters.filter(({ in: place, name }) => place === 'path' && createdIds[name] !== undefined)
    if (ids.length === 0) return
    const filled = Object.fromEntries(ids.map((one) => [keyOf(one), createdIds[one.name] ?? '']))
    setForm((form) => ({ ...form, values: { ...form.values, ...filled } }))
  }, [parameters, createdIds, setForm])
}

/** Input and responses outlive closing an operation. */
const savedForms = new Map<string, { form: Form; isTrying: boolean; run: Run }>()

function Body({ operation, shared }: { operation: Operation; shared: Shared }) {
  const { operationId, description, parameters = [], requestBody } = operation
  const { api, schemas, credential, createdIds } = shared
  const before = savedForms.get(operationId)
  const [form, setForm] = useState(before?.form ?? emptyForm(operation, schemas))
  const [isTrying, setIsTrying] = useState(before?.isTrying ?? false)
  const [run, setRun] = useState(before?.run ?? notRun)
  const [missing, setMissing] = useState<readonly string[]>([])
  const abort = useRef<AbortController>(undefined)
  const block = useRef<HTMLDivElement>(null)
  useEffect(() => {
    savedForms.set(operationId, { form, isTrying, run: run.state === 'running' ? notRun : run })
  }, [operationId, form, isTrying, run])
  useEffect(() => () => abort.current?.abort(), [])
  useCreatedIds(parameters, createdIds, setForm)

  const execute = async () => {
    const without = missingIn(operation, form)
    setMissing(without)
    if (without.length > 0) {
      block.current
        ?.querySelector<HTMLElement>(`[data-param-name="${without[0]}"] :is(input, select, textarea)`)
        ?.focus()
      return
    }
    const request = requestOf(operation, form, credential, api)
    const controller = new AbortController()
    abort.current = controller
    const show = (state: Run['state'], response?: Received) => setRun({ state, url: request.url, received: response })
    show('running')
    let last: Received | undefined
    try {
      await send(request, controller.signal, (response) => {
        last = response
        show(response.state === 'arriving' ? 'running' : 'done', response)
      })
    } catch {
      // The response is missing or incomplete; browsers give no further details.
      show(controller.signal.aborted ? 'idle' : 'failed', last)
    }
    if (last?.status === 201) shared.onCreated(idsIn(last.text))
  }
  const call = callOf(operation, form, schemas)
  return (
    <div className="opblock-body" ref={block}>
      <div className="opblock-text">
        <div className="opblock-description">
          <Markdown text={description} />
        </div>
      </div>
      <div className="opblock-form">
        <section className="opblock-section">
          <div className="opblock-section-header">
            <h5>Parameters</h5>
            <TryOutButtons
              isTrying={isTrying}
              onTry={() => setIsTrying(true)}
              onCancel={() => {
                abort.current?.abort()
                setIsTrying(false)
                setMissing([])
              }}
              onReset={() => setForm(emptyForm(operation, schemas))}
            />
          </div>
          <ParameterTable
            parameters={parameters}
            schemas={schemas}
            values={form.values}
            isEnabled={isTrying}
            missing={missing}
            onChange={(key, value) => setForm({ ...form, values: { ...form.values, [key]: value } })}
          />
        </section>
        {requestBody !== undefined && (
          <RequestBody operation={operation} schemas={schemas} form={form} isTrying={isTrying} onChange={setForm} />
        )}
        {isTrying && (
          <SendButtons
            state={run.state}
            onExecute={execute}
            onStop={() => abort.current?.abort()}
            onClear={() => setRun(notRun)}
            accepts={acceptable(operation)}
            accept={form.accept}
            onAccept={(accept) => setForm({ ...form, accept })}
          />
        )}
        {missing.length > 0 && (
          <p className="fault" role="alert">
            Enter {missing.join(' and ')} first.
          </p>
        )}
        <Answer state={run.state} url={run.url} received={run.received} operationId={operationId} />
      </div>
      {call !== undefined && <Examples call={call} api={api} form={shared.exampleForm} onForm={shared.onExampleForm} />}
      <Responses operation={operation} schemas={schemas} api={api} />
    </div>
  )
}

type TryOutProps = { isTrying: boolean; onTry: () => void; onCancel: () => void; onReset: () => void }

function TryOutButtons({ isTrying, onTry, onCancel, onReset }: TryOutProps) {
  return (
    <div className="try-out">
      {isTrying ? (
        <>
          <button type="button" className="btn try-out__btn cancel" onClick={onCancel}>
            Cancel
          </button>
          <button type="button" className="btn try-out__btn reset" onClick={onReset}>
            Reset
          </button>
        </>
      ) : (
        <button type="button" className="btn try-out__btn" onClick={onTry}>
          Try it out
        </button>
      )}
    </div>
  )
}

type TableProps = {
  parameters: readonly Parameter[]
  schemas: Schemas
  values: Form['values']
  isEnabled: boolean
  /** The names of required parameters without a value. */
  missing: readonly string[]
  onChange: (key: string, value: string) => void
}

function ParameterTable({ parameters, schemas, values, isEnabled, missing, onChange }: TableProps) {
  if (parameters.length === 0) return <p className="hint">No parameters</p>
  return (
    <table className="parameters">
      <thead className="visually-hidden">
        <tr>
          <th>Name</th>
          <th>Description</th>
        </tr>
      </thead>
      <tbody>
        {parameters.map((parameter) => (
          <ParameterRow
            key={keyOf(parameter)}
            parameter={parameter}
            schemas={schemas}
            value={values[keyOf(parameter)] ?? ''}
            isEnabled={isEnabled}
            isMissing={missing.includes(parameter.name)}
            onChange={(value) => onChange(keyOf(parameter), value)}
          />
        ))}
      </tbody>
    </table>
  )
}

type SendProps = {
  state: Run['state']
  onExecute: () => void
  onStop: () => void
  onClear: () => void
  /** The media types that the response can have. */
  accepts: readonly string[]
  accept: string
  onAccept: (accept: string) => void
}

function SendButtons({ state, onExecute, onStop, onClear, accepts, accept, onAccept }: SendProps) {
  return (
    <div className="execute-wrapper btn-group">
      {state === 'running' ? (
        <button type="button" className="btn" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="button" className="btn execute primary" onClick={onExecute}>
          Execute
        </button>
      )}
      {(state === 'done' || state === 'failed') && (
        <button type="button" className="btn btn-clear" onClick={onClear}>
          Clear
        </button>
      )}
      {accepts.length > 1 && (
        <label className="content-type-wrapper">
          Response as{' '}
          <select className="content-type" value={accept} onChange={({ target }) => onAccept(target.value)}>
            {accepts.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}

/** The members of a created resource that are ids. */
function idsIn(text: string): Record<string, string> {
  const resource: unknown = JSON.parse(text)
  if (typeof resource !== 'object' || resource === null) return {}
  const members = Object.entries(resource).filter(([name, value]) => name.endsWith('_id') && typeof value === 'string')
  return Object.fromEntries(members)
}

type BodyProps = {
  operation: Operation
  schemas: Schemas
  form: Form
  isTrying: boolean
  onChange: (form: Form) => void
}

function RequestBody({ operation, schemas, form, isTrying, onChange }: BodyProps) {
  const [isSchemaShown, setIsSchemaShown] = useState(false)
  const content = operation.requestBody?.content ?? {}
  const types = Object.keys(content)
  const { schema } = content[form.contentType] ?? {}
  const isFile = !/json|urlencoded/.test(form.contentType) || form.contentType === 'application/x-ndjson'
  const file = useRef<HTMLInputElement>(null) as RefObject<HTMLInputElement | null>
  return (
    <section className="opblock-section opblock-section-request-body">
      <div className="opblock-section-header">
        <h5>Request body {operation.requestBody?.required && <span className="required-mark">required</span>}</h5>
        {types.length > 1 ? (
          <select
            className="content-type"
            aria-label="Request content type"
            value={form.contentType}
            onChange={({ target: { value } }) =>
              onChange({ ...form, contentType: value, body: bodyExample(operation, value, schemas) })
            }
          >
            {types.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        ) : (
          <code className="schema-type">{types[0]}</code>
        )}
        {schema !== undefined && (
          <button
            type="button"
            className="quiet-button"
            aria-expanded={isSchemaShown}
            onClick={() => setIsSchemaShown(!isSchemaShown)}
          >
            Schema
          </button>
        )}
      </div>
      {isSchemaShown && schema !== undefined && <SchemaView schema={schema} schemas={schemas} />}
      {isTrying && isFile && (
        <label className="body-file">
          A file instead of the text{' '}
          <input ref={file} type="file" onChange={({ target }) => onChange({ ...form, file: target.files?.[0] })} />
        </label>
      )}
      {isTrying && form.file === undefined ? (
        <textarea
          className="body-param__text"
          aria-label="Request body"
          spellCheck={false}
          rows={Math.min(form.body.split('\n').length + 1, 24)}
          value={form.body}
          onChange={({ target }) => onChange({ ...form, body: target.value })}
        />
      ) : isTrying ? null : (
        <Code className="body-param__example" text={form.body} label="Example of the request body" isJson />
      )}
    </section>
  )
}
