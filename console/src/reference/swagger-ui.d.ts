/** The used part of swagger-ui-dist, which comes without types. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  export type Element = unknown;
  export type Component<Props = object> = (props: Props) => Element;

  /** swagger-ui's own React and its register of components. */
  export interface System {
    readonly React: {
      readonly createElement: <Props>(
        type: string | Component<Props>,
        props?: object | null,
        ...children: readonly Element[]
      ) => Element;
      readonly useEffect: (effect: () => () => void, inputs: readonly unknown[]) => void;
      readonly useRef: <Value>(value: Value | null) => { readonly current: Value | null };
    };
    /** @param isContainer whether to connect it to the system's state. */
    readonly getComponent: (name: string, isContainer?: boolean) => Component;
  }

  /** Components by name, with any props. */
  type Named = Readonly<Record<string, Component<never>>>;

  export type Plugin = (system: System) => {
    readonly components: Named;
    readonly wrapComponents: Readonly<Record<string, (original: Component) => Component<never>>>;
  };

  export interface SwaggerUiInstance {
    readonly preauthorizeApiKey: (scheme: string, header: string) => void;
    readonly layoutActions: {
      readonly show: (thing: readonly string[], isShown: boolean) => void;
    };
    readonly authActions: { readonly logout: (schemes: readonly string[]) => void };
  }

  export default function SwaggerUi(options: {
    readonly domNode: HTMLElement;
    readonly spec: object;
    readonly plugins: readonly Plugin[];
    readonly layout: string;
    readonly deepLinking: boolean;
    readonly docExpansion: "list";
    readonly displayRequestDuration: boolean;
    readonly syntaxHighlight: { readonly activated: boolean };
    readonly validatorUrl: null;
    readonly onComplete: () => void;
  }): SwaggerUiInstance;
}
