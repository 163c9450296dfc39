/** The facts about a source file that the checks use, from the parser's tree. */
import type * as ESTree from 'oxc-parser';
import { parseSync, Visitor } from 'oxc-parser';

/** A file: its path from the repository's root, with forward slashes, and its text. */
export type SourceFile = { readonly path: string; readonly text: string };

/** A problem as a line that begins with its file, so that an editor can open it. */
export type Problem = string;

export type Import = {
  /** The specifier, as in the file. */
  readonly specifier: string;
  /** The imported file, from the root; `undefined` for a package. */
  readonly target: string | undefined;
  /** `type` imports do not exist at run time; a `dynamic` one is loaded when it is reached. */
  readonly kind: 'value' | 'type' | 'dynamic';
};

export type Interface = { readonly name: string; readonly methods: number };

export type Source = SourceFile & {
  readonly imports: readonly Import[];
  /** The interfaces, each with the number of its methods. */
  readonly interfaces: readonly Interface[];
  /** The free names that the file reads: `Buffer`, not `x.Buffer`. */
  readonly names: ReadonlySet<string>;
  /** The members read from a plain name, such as `process.env`, including `new Date()` without arguments. */
  readonly members: ReadonlySet<string>;
};

/** Reads a file. Throws if it cannot be parsed. */
export function readSource({ path, text }: SourceFile): Source {
  const { program, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  const { imports, ...importVisitor } = importsVisitor(path);
  const { names, members, ...nameVisitor } = namesVisitor();
  const interfaces: Interface[] = [];
  const TSInterfaceDeclaration = ({ id, body }: ESTree.TSInterfaceDeclaration) => {
    const methods = body.body.filter(({ type }) => type === 'TSMethodSignature').length;
    interfaces.push({ name: id.name, methods });
  };
  new Visitor({ ...importVisitor, ...nameVisitor, TSInterfaceDeclaration }).visit(program);
  return { path, text, imports, interfaces, names, members };
}

function importsVisitor(path: string) {
  const imports: Import[] = [];
  const add = (specifier: string, kind: Import['kind']) => {
    const target = specifier.startsWith('.')
      ? new URL(specifier, `file:///${path}`).pathname.slice(1)
      : undefined;
    imports.push({ specifier, target, kind });
  };
  return {
    imports,
    ImportDeclaration: ({ source, importKind }: ESTree.ImportDeclaration) =>
      add(source.value, importKind === 'type' ? 'type' : 'value'),
    ExportAllDeclaration: ({ source, exportKind }: ESTree.ExportAllDeclaration) =>
      add(source.value, exportKind === 'type' ? 'type' : 'value'),
    ExportNamedDeclaration: ({ source, exportKind }: ESTree.ExportNamedDeclaration) => {
      if (source !== null) add(source.value, exportKind === 'type' ? 'type' : 'value');
    },
    ImportExpression: ({ source }: ESTree.ImportExpression) => {
      if (source.type === 'Literal' && typeof source.value === 'string') add(source.value, 'dynamic');
    },
    TSImportType: ({ source }: ESTree.TSImportType) => add(source.value, 'type'),
  };
}

function namesVisitor() {
  const names = new Set<string>();
  const members = new Set<string>();
  const notRead = new Set<number>();
  return {
    names,
    members,
    MemberExpression({ object, property, computed }: ESTree.MemberExpression) {
      if (!computed) notRead.add(property.start);
      if (object.type === 'Identifier' && property.type === 'Identifier')
        members.add(`${object.name}.${property.name}`);
    },
    NewExpression({ callee, arguments: args }: ESTree.NewExpression) {
      if (callee.type === 'Identifier' && args.length === 0) members.add(`new ${callee.name}()`);
    },
    Identifier({ name, start }: { name: string; start: number }) {
      if (!notRead.has(start)) names.add(name);
    },
  };
}
