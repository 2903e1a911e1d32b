package toolschema_test
import ("testing";"fmt";"strings";"encoding/json";"github.com/mcpclient-go/mcpclient/internal/toolschema")
func collect(v any, in bool, f func(k string, s any)) {
	switch v:=v.(type){
	case map[string]any:
		for k,e:=range v { 
			if in { collect(e,false,f); continue }
			switch k { case "properties","$defs": collect(e,true,f)
			case "description","format","pattern": f(k,e)
			case "enum": for _,x:=range e.([]any){f(k,x)}
			case "const": f(k,e)
			case "items","additionalProperties","anyOf","oneOf","allOf","then","else","propertyNames": collect(e,false,f)
			case "minimum","maximum","minLength","maxLength","minItems","maxItems","exclusiveMinimum","required":
				f(k,e)
			}}
	case []any: for _,e:=range v{collect(e,false,f)}
	}
}
func TestZ(t *testing.T){ cnt:=map[string]int{}; for srv,l:=range realTools(t){ for _,tool:=range l { s,_:=toolschema.Convert(tool.InputSchema,toolschema.Options{})
 var m map[string]any; json.Unmarshal(tool.InputSchema,&m); delete(m,"description")
 have:=map[string]bool{}; all:=""
 collect(s.Properties,true,func(k string,x any){ b,_:=json.Marshal(x); if k=="const"{k="enum"}; have[k+string(b)]=true; if k=="description"{all+=x.(string)+"\n"}})
 collect(m,false,func(k string,x any){ if k=="const"{k="enum"}; if k=="required"{ return}; b,_:=json.Marshal(x); if x==nil||x==""{return}; if !have[k+string(b)] { if k=="description"&&strings.Contains(all,strings.TrimRight(x.(string),". ")){return}; cnt[srv+" "+tool.Name+" "+k+" "+fmt.Sprint(x)]++ } })
}}
 for k,n:=range cnt { if len(k)>200{k=k[:200]}; fmt.Println(n,k)} }
